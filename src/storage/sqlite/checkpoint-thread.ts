import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

const ATTEMPTS = 10;
const ATTEMPT_INTERVAL_MS = 5;

const { path }: { path: string } = workerData;

const database = new DatabaseSync(path);
// A checkpoint that waited for readers would hold up writers.
database.exec('PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0; PRAGMA busy_timeout = 0');

const pause = new Int32Array(new SharedArrayBuffer(4));

parentPort?.on('message', () => parentPort?.postMessage(checkpoint()));

/** Returns whether the log was truncated: no lock of a reader or a writer was in the way. */
function checkpoint(): boolean {
  // Most of the work, without any lock that a writer needs.
  run('PRAGMA wal_checkpoint(PASSIVE)');
  for (let attempt = 1; !run('PRAGMA wal_checkpoint(TRUNCATE)'); attempt += 1) {
    if (attempt === ATTEMPTS) return false;
    Atomics.wait(pause, 0, 0, ATTEMPT_INTERVAL_MS);
  }
  // The first commit after a truncation syncs the header of the log: better here than on the event loop.
  run('PRAGMA user_version = 0');
  return true;
}

/** Runs a pragma, and returns whether no lock was in its way. */
function run(sql: string): boolean {
  try {
    return database.prepare(sql).get()?.['busy'] !== 1;
  } catch {
    return false;
  }
}
