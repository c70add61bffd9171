import { closeSync, fdatasync, fstatSync, openSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { unavailable } from '../../model/api-error.ts';
import { syncFile } from './sync-file.ts';

/** A completed sync. */
export type Sync = {
  readonly seconds: number;
  /** The number of commits that it has put on disk. */
  readonly commits: number;
  /** The size of the log. */
  readonly logBytes: number;
};

/** Puts commits on disk. */
export type LogSync = {
  /**
   * Resolves when all commits before the call are on disk.
   * @throws UNAVAILABLE if the sync fails, or an earlier one has failed
   */
  sync(): Promise<void>;
  /**
   * Checks that the files of the database still have their names.
   * @throws UNAVAILABLE if they do not, or if a sync has failed
   */
  checkFiles(): void;
  /** Closes the file of the log. To be called when no sync is running. */
  close(): void;
};

/**
 * Syncs the write-ahead log of a database in the thread pool, so that the event loop never waits for the
 * disk. One sync serves all commits that were made before it began; commits that are made meanwhile wait for
 * the next one.
 *
 * A failed sync is not repeated: the kernel may have dropped the pages that it could not write, and a second
 * sync would succeed without them. Source: "Can applications recover from fsync failures?", USENIX ATC 2020.
 *
 * SQLite does not notice that its file was deleted or replaced, and would write to the old one. This counts as a
 * failed sync.
 *
 * @param path the file of the database, whose log exists
 * @param onSync is called after each sync
 * @param onFailure is called once, with an error for the operator, when a sync has failed or a file is missing
 */
export function logSync(
  path: string,
  onSync: (sync: Sync) => void,
  onFailure: (error: Error) => void,
): LogSync {
  const file = openSync(`${path}-wal`, 'r+');
  const [database, wal] = [statSync(path), fstatSync(file)];
  syncFile(dirname(path));
  let waiting: PromiseWithResolvers<void> | undefined;
  let waitingCount = 0;
  let isRunning = false;
  let failure: Error | undefined;

  function start(): void {
    const covered = waiting;
    const commits = waitingCount;
    const begin = performance.now();
    waiting = undefined;
    waitingCount = 0;
    isRunning = true;
    fdatasync(file, (error) => {
      const seconds = (performance.now() - begin) / 1000;
      isRunning = false;
      try {
        if (error) throw fail(new Error(`The write-ahead log could not be synced: ${error.message}`));
        checkFiles();
      } catch (refusal) {
        covered?.reject(refusal);
        waiting?.reject(refusal);
        return;
      }
      covered?.resolve();
      if (waiting) start();
      onSync({ seconds, commits, logBytes: fstatSync(file).size });
    });
  }

  /** Refuses all later writes. Returns the error for them. */
  function fail(error: Error): Error {
    failure = unavailable(error);
    onFailure(error);
    return failure;
  }

  function checkFiles(): void {
    if (failure) throw failure;
    if (!isNamed(database, path) || !isNamed(wal, `${path}-wal`)) {
      throw fail(new Error(`The database file ${path} was deleted or replaced.`));
    }
  }

  return {
    checkFiles,
    async sync() {
      if (failure) throw failure;
      waiting ??= Promise.withResolvers<void>();
      waitingCount += 1;
      const { promise } = waiting;
      if (!isRunning) start();
      return promise;
    },
    close: () => closeSync(file),
  };
}

/** Returns whether a path is the name of a file that was opened earlier. */
function isNamed({ dev, ino }: Stats, path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.ino === ino && stats.dev === dev;
}
