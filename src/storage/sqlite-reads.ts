import type { DatabaseSync } from 'node:sqlite';
import { LruCache } from '../model/lru-cache.ts';
import type { Row, Value } from './database.ts';
import { runner, withOutages } from './sqlite-statements.ts';

// With their keys: those of some 10,000 tokens.
const MAX_CHARACTERS = 5_000_000;

/**
 * Keeps in memory the single rows that were read lately, such as those of tokens, for as
 * long as nobody has committed anything: SQLite tells by the data version whether any
 * other connection has, in this process or another, and nothing is written through this
 * one. Source: sqlite.org/pragma.html.
 *
 * It is asked once for all that is wanted at the same time, after the last of it was,
 * and its word is taken for no longer than until all that was waiting for it has run.
 */
export function rememberedReads(reader: DatabaseSync): {
  query(sql: string, params: readonly Value[]): Promise<readonly Row[]>;
  /** Returns the data version, which is asked for at most once in a turn of the event loop. */
  version(): Promise<number>;
  /** Makes whoever reads from now on ask again. */
  expire(): void;
} {
  const read = runner(reader);
  const dataVersion = reader.prepare('PRAGMA data_version');
  dataVersion.setReturnArrays(true);
  const numbers = new Map<string, number>();
  const rowsOf = new LruCache<readonly Row[]>(MAX_CHARACTERS);
  let known = 0;
  let isCurrent = false;
  let asking: Promise<void> | undefined;

  const expire = () => {
    isCurrent = false;
  };

  function ask(): void {
    asking = undefined;
    // Before any rows are read: what is committed in between drops them.
    const [version] = withOutages(() => dataVersion.get() as unknown as [number]);
    if (version !== known) rowsOf.clear();
    known = version;
    isCurrent = true;
    // Node runs this after all promises that can be settled have been.
    queueMicrotask(() => process.nextTick(expire));
  }

  /** Asks, after everything has been heard that has come in by now. */
  function askOnce(): Promise<void> {
    asking ??= new Promise<void>((resolve) => setImmediate(resolve)).then(ask);
    return asking;
  }

  return {
    async version() {
      if (!isCurrent) await askOnce();
      return known;
    },

    async query(sql, params) {
      if (!isCurrent) await askOnce();
      // The number stands for the statement, whose text is long.
      let number = numbers.get(sql);
      if (number === undefined) {
        number = numbers.size;
        numbers.set(sql, number);
      }
      const key = `${number}${JSON.stringify(params)}`;
      let rows = rowsOf.get(key);
      if (rows === undefined) {
        rows = read(sql, params);
        // Of what has many rows, the faces keep the answers: both would be thrown away at each commit.
        if (rows.length <= 1) rowsOf.set(key, rows, key.length + JSON.stringify(rows).length);
      }
      return rows;
    },
    expire,
  };
}
