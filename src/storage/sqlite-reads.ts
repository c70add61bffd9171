import type { DatabaseSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import type { Row, Value } from './database.ts';
import { runner, withOutages } from './sqlite-statements.ts';

const MAX_CACHE_BYTES = 8_000_000;

// An estimate of what an entry takes beside its text: the objects of the key, the row and the cache.
const ENTRY_BYTES = 400;

/**
 * Runs reads on a connection, and keeps single rows, such as those of tokens, in memory
 * for as long as `PRAGMA data_version` says that no other connection has committed.
 * Nothing is written through this connection. Source: sqlite.org/pragma.html.
 *
 * The version is read once per turn of the event loop, after all requests of the turn
 * have asked for their rows. It holds until the promises of that turn have settled, and
 * no JavaScript from outside runs in between: a row is never older than its request.
 */
export function cachedReads(reader: DatabaseSync): {
  query(sql: string, params: readonly Value[]): Promise<readonly Row[]>;
  /** Makes the next read look at the version again. To be called after a commit. */
  expire(): void;
} {
  const read = runner(reader);
  const dataVersion = reader.prepare('PRAGMA data_version');
  dataVersion.setReturnArrays(true);
  const statementIds = new Map<string, number>();
  // Lists are not kept, so that looking for them in the cache would be in vain.
  const lists = new Set<string>();
  const cache = new LRUCache<string, readonly Row[]>({ maxSize: MAX_CACHE_BYTES });
  let version = 0;
  let isCurrent = false;
  let refreshing: Promise<void> | undefined;

  const expire = () => {
    isCurrent = false;
  };

  function refresh(): void {
    refreshing = undefined;
    const [current] = withOutages(() => dataVersion.get() as unknown as [number]);
    if (current !== version) cache.clear();
    version = current;
    isCurrent = true;
    // Node runs this after all promises that can settle have settled.
    queueMicrotask(() => process.nextTick(expire));
  }

  function refreshOnce(): Promise<void> {
    refreshing ??= new Promise<void>((resolve) => setImmediate(resolve)).then(refresh);
    return refreshing;
  }

  return {
    async query(sql, params) {
      if (!isCurrent) await refreshOnce();
      if (lists.has(sql)) return read(sql, params);
      // A number in place of the statement keeps the keys short.
      let id = statementIds.get(sql);
      if (id === undefined) {
        id = statementIds.size;
        statementIds.set(sql, id);
      }
      const key = `${id}${JSON.stringify(params)}`;
      const cached = cache.get(key);
      if (cached !== undefined) return cached;
      const rows = read(sql, params);
      if (rows.length > 1) lists.add(sql);
      else cache.set(key, rows, { size: ENTRY_BYTES + 2 * (key.length + JSON.stringify(rows).length) });
      return rows;
    },
    expire,
  };
}
