import { expect } from 'vitest';
import type { Database, Queryable } from '../../src/storage/interface/database.ts';

const WAITING = `SELECT COUNT(*) AS count FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;

/**
 * Starts a request that waits for the locks of a change on PostgreSQL, which is then committed. Returns the result of the
 * request.
 */
export async function whileLocked<T>(
  database: Pick<Database, 'read' | 'transaction'>,
  change: (transaction: Queryable) => Promise<unknown>,
  request: () => Promise<T>,
): Promise<T> {
  const { result } = await database.transaction(async (transaction) => {
    await change(transaction);
    const pending = request();
    // It can fail before the commit has returned.
    pending.catch(() => {});
    await expect.poll(() => database.read(WAITING), { interval: 5 }).toEqual([{ count: 1 }]);
    return { result: () => pending };
  });
  return result();
}
