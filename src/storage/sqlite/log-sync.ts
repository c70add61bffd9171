import { closeSync, fdatasync, fstatSync, openSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { resultUnknown, unavailable } from '../interface/database-error.ts';
import { syncFile } from './sync-file.ts';

/** A completed sync. */
export type Sync = {
  readonly seconds: number;
  /** The number of commits that it has put on disk. */
  readonly commits: number;
  /** The size of the log. */
  readonly logBytes: number;
};

/** Receives what happens to the log. */
type SyncEvents = {
  readonly onSync: (sync: Sync) => void;
  /** Is called once, with an error for the operator, when a sync has failed or a file is missing. */
  readonly onFailure: ((error: Error) => void) | undefined;
};

/** The commits that wait for the same sync. */
type Commits = PromiseWithResolvers<void> & { count: number };

/**
 * Syncs the write-ahead log of a database in the thread pool, so the event loop never waits for the disk. One sync serves
 * all commits before its start; commits during it wait for the next one.
 *
 * A failed sync is not repeated: the kernel may have dropped the pages that it could not write, and a second
 * sync would succeed without them. Source: "Can applications recover from fsync failures?", USENIX ATC 2020.
 *
 * SQLite does not notice that its file was deleted or replaced, and would write to the old one. This counts as a
 * failed sync.
 */
export class LogSync {
  readonly #path: string;
  readonly #events: SyncEvents;
  readonly #file: number;
  readonly #database: Stats;
  readonly #log: Stats;
  #waiting: Commits | undefined;
  #running: Commits | undefined;
  #failure: Error | undefined;

  /**
   * @param path the file of the database, whose log exists
   * @param database the file's status before it was opened
   */
  constructor(path: string, database: Stats, events: SyncEvents) {
    this.#path = path;
    this.#events = events;
    this.#file = openSync(`${path}-wal`, 'r+');
    this.#database = database;
    this.#log = fstatSync(this.#file);
    syncFile(dirname(path));
  }

  /** Resolves when all commits before the call are on disk. @throws RESULT_UNKNOWN if the sync fails */
  sync(): Promise<void> {
    this.#waiting ??= { ...Promise.withResolvers<void>(), count: 0 };
    this.#waiting.count += 1;
    const { promise } = this.#waiting;
    if (!this.#running) this.#start();
    return promise;
  }

  /** @throws UNAVAILABLE if a sync has failed */
  assertUsable(): void {
    if (this.#failure) throw unavailable(this.#failure);
  }

  /**
   * Checks that the files of the database still have their names.
   * @throws UNAVAILABLE if they do not, or if a sync has failed
   */
  checkFiles(): void {
    if (!isNamed(this.#database, this.#path) || !isNamed(this.#log, `${this.#path}-wal`)) {
      this.#fail(new Error(`The database file ${this.#path} was deleted or replaced.`));
    }
    this.assertUsable();
  }

  /** Closes the file of the log when no sync is running. */
  async close(): Promise<void> {
    while (this.#running) await this.#running.promise.catch(() => {});
    closeSync(this.#file);
  }

  #start(): void {
    const commits = this.#waiting;
    if (commits === undefined) return;
    const begin = performance.now();
    this.#waiting = undefined;
    this.#running = commits;
    fdatasync(this.#file, (error) => {
      const seconds = (performance.now() - begin) / 1000;
      this.#running = undefined;
      if (error) this.#fail(new Error(`The write-ahead log could not be synced: ${error.message}`));
      try {
        this.checkFiles();
      } catch {
        for (const each of [commits, this.#waiting]) each?.reject(resultUnknown(this.#failure));
        return;
      }
      commits.resolve();
      this.#start();
      this.#events.onSync({ seconds, commits: commits.count, logBytes: fstatSync(this.#file).size });
    });
  }

  /** Refuses all later writes. */
  #fail(error: Error): void {
    if (this.#failure) return;
    this.#failure = error;
    this.#events.onFailure?.(error);
  }
}

/** Returns whether a path is the name of a file that was opened earlier. */
export function isNamed({ dev, ino }: Stats, path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.ino === ino && stats.dev === dev;
}
