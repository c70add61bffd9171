import type { DatabaseSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import type { Row, Value } from '../database.ts';
import { statementRunner, translateErrors } from './statements.ts';

const MAX_CACHE_BYTES = 8_000_000;

// An estimate of the size of an entry without its text: the objects of the key, of the row and of the cache.
const ENTRY_BYTES = 400;

/**
 * Executes reads on a read-only connection. Results of one row, such as tokens, are cached
 * while `PRAGMA data_version` shows that no other connection has committed.
 * Source: sqlite.org/pragma.html.
 *
 * The version is read once per event-loop turn, after all requests of the turn have called
 * `query`. It stays valid until the promises of that turn have settled. No other callback runs in
 * between, so a row is never older than its request.
 */
export function cachedReads(reader: DatabaseSync): {
  query(sql: string, params: readonly Value[]): Promise<readonly Row[]>;
  /** Makes the next read check the version again. Must be called after every commit. */
  invalidate(): void;
} {
  const read = statementRunner(reader);
  const dataVersion = reader.prepare('PRAGMA data_version');
  dataVersion.setReturnArrays(true);
  const statementIds = new Map<string, number>();
  // Statements that have returned more than one row. Their results are not cached.
  const multiRowStatements = new Set<string>();
  const cache = new LRUCache<string, readonly Row[]>({ maxSize: MAX_CACHE_BYTES });
  let version = 0;
  let isCurrent = false;
  let refreshing: Promise<void> | undefined;

  const invalidate = () => {
    isCurrent = false;
  };

  function refresh(): void {
    refreshing = undefined;
    const [current] = translateErrors(() => dataVersion.get() as unknown as [number]);
    if (current !== version) cache.clear();
    version = current;
    isCurrent = true;
    // Runs when the queue of microtasks is empty, after all promises that can settle have settled.
    queueMicrotask(() => process.nextTick(invalidate));
  }

  function refreshOnce(): Promise<void> {
    refreshing ??= new Promise<void>((resolve) => setImmediate(resolve)).then(refresh);
    return refreshing;
  }

  return {
    async query(sql, params) {
      if (!isCurrent) await refreshOnce();
      if (multiRowStatements.has(sql)) return read(sql, params);
      // A number instead of the text of the statement makes the cache keys short.
      let id = statementIds.get(sql);
      if (id === undefined) {
        id = statementIds.size;
        statementIds.set(sql, id);
      }
      const key = `${id}${JSON.stringify(params)}`;
      const cached = cache.get(key);
      if (cached !== undefined) return cached;
      const rows = read(sql, params);
      if (rows.length > 1) multiRowStatements.add(sql);
      // Empty results are not cached: requests with tokens that do not exist would displace the rows of others.
      else if (rows.length === 1) {
        cache.set(key, rows, { size: ENTRY_BYTES + 2 * (key.length + JSON.stringify(rows).length) });
      }
      return rows;
    },
    invalidate,
  };
}
