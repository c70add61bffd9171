import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/** The result of a checkpoint. */
export type CheckpointResult = {
  /** Whether a lock of a reader or a writer was in the way, so that another attempt is needed later. */
  readonly isHeld: boolean;
  /** Whether another checkpoint is needed, because free pages were returned to the file system. */
  readonly hasMore: boolean;
};

const ATTEMPTS = 10;
const ATTEMPT_INTERVAL_MS = 5;

// Free pages are returned to the file system in small steps, so that no write waits long.
const MIN_FREE_PAGES = 1000;
const VACUUM_PAGES = 500;

const { path }: { path: string } = workerData;

const database = new DatabaseSync(path);
// A checkpoint that waited for readers would hold up writers.
database.exec('PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0; PRAGMA busy_timeout = 0');
const freePages = database.prepare('PRAGMA freelist_count');
freePages.setReturnArrays(true);

const pause = new Int32Array(new SharedArrayBuffer(4));

parentPort?.on('message', (message: 'checkpoint' | 'close') => {
  if (message === 'close') {
    database.close();
    process.exit();
  }
  parentPort?.postMessage(checkpoint());
});

function checkpoint(): CheckpointResult {
  // Most of the work, without any lock that a writer needs.
  run('PRAGMA wal_checkpoint(PASSIVE)');
  let isTruncated = false;
  for (let attempt = 1; !isTruncated && attempt <= ATTEMPTS; attempt += 1) {
    if (attempt > 1) Atomics.wait(pause, 0, 0, ATTEMPT_INTERVAL_MS);
    isTruncated = run('PRAGMA wal_checkpoint(TRUNCATE)');
  }
  // The first commit after a truncation syncs the header of the log: better here than on the event loop.
  if (isTruncated) run('PRAGMA user_version = 0');
  const vacuumed = isTruncated ? vacuum() : 'nothing';
  return { isHeld: !isTruncated || vacuumed === 'locked', hasMore: vacuumed === 'some pages' };
}

/** Returns some free pages to the file system. */
function vacuum(): 'nothing' | 'some pages' | 'locked' {
  const before = countFreePages();
  if (before < MIN_FREE_PAGES) return 'nothing';
  if (!run(`PRAGMA incremental_vacuum(${VACUUM_PAGES})`)) return 'locked';
  // A database that was created without incremental vacuum keeps its free pages.
  return countFreePages() < before ? 'some pages' : 'nothing';
}

function countFreePages(): number {
  const [count] = freePages.get() as unknown as [number];
  return count;
}

/** Runs a pragma, and returns whether no lock was in its way. */
function run(sql: string): boolean {
  try {
    const rows = database.prepare(sql).all();
    return rows[0]?.['busy'] !== 1;
  } catch {
    return false;
  }
}
