import { randomBytes } from 'node:crypto';
import type { Database } from './database.ts';

const ADD = 'INSERT INTO page_token_key (id, key) VALUES (1, $1) ON CONFLICT (id) DO NOTHING';

const FIND = 'SELECT key FROM page_token_key WHERE id = 1';

/**
 * Returns the key for the MACs of page tokens, 32 bytes. Creates the key if the database has none.
 * @throws UNAVAILABLE if the database is unavailable
 */
export async function loadPageTokenKey(database: Database): Promise<Uint8Array> {
  await database.query(ADD, [randomBytes(32).toString('hex')]);
  const [row] = await database.query<{ key: string }>(FIND);
  if (row === undefined) throw new Error('The database has no page token key.');
  return Buffer.from(row.key, 'hex');
}
