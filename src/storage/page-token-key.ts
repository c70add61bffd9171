import { randomBytes } from 'node:crypto';
import type { Queryable } from './port/database.ts';

const ADD = 'INSERT INTO page_token_key (id, key) VALUES (1, $1) ON CONFLICT (id) DO NOTHING';

const FIND = 'SELECT key FROM page_token_key WHERE id = 1';

/** Returns the key for the MACs of page tokens, 32 bytes. Creates the key if the database has none. */
export async function loadPageTokenKey(database: Queryable): Promise<Uint8Array> {
  const find = () => database.read<{ key: string }>(FIND);
  let [row] = await find();
  if (row === undefined) {
    await database.write(ADD, [randomBytes(32).toString('hex')]);
    // Another instance may have been faster.
    [row] = await find();
  }
  if (row === undefined) throw new Error('The database has no page token key.');
  return Buffer.from(row.key, 'hex');
}
