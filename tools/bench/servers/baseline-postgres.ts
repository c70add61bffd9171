import { Pool } from 'pg';
import { titleKey } from '../../../src/model/title-key.ts';
import {
  type AppValues,
  FIND_APP,
  INSERT_EVENT,
  INSERT_TOKEN,
  type ProjectValues,
  serveBaseline,
  type WalletValues,
} from './baseline.ts';

const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: 10 });

/** Runs a statement, which is prepared once per connection. Returns the rows as arrays. */
async function rowsOf<Row>(name: string, text: string, values: readonly unknown[]): Promise<readonly Row[]> {
  const { rows } = await pool.query({ name, text, values: [...values], rowMode: 'array' });
  return rows as unknown as readonly Row[];
}

const FIND_TOKEN = 'SELECT hash FROM token WHERE account_id = $1 AND id = $2 AND expire_time_ms > $3';

const FIND_PAGE = `SELECT id, title, description, image_cover_cid FROM project
WHERE account_id = $1 AND id > $2 ORDER BY id LIMIT $3`;

const UPDATE_TITLE = `WITH changed AS (UPDATE wallet SET title = $11, title_key = $12, update_time_ms = $13, revision = $14
WHERE account_id = $15 AND id = $16
RETURNING id, title, description, project_id, network, address), event AS (${INSERT_EVENT})
SELECT * FROM changed`;

const SIGN_IN = `WITH token AS (${INSERT_TOKEN}) ${INSERT_EVENT.replaceAll(/\$\d+/g, (parameter) => `$${Number(parameter.slice(1)) + 7}`)}`;

serveBaseline({
  async findToken(...values) {
    const [row] = await rowsOf<[string]>('token', FIND_TOKEN, values);
    return row?.[0];
  },
  findPage: (...values) => rowsOf<ProjectValues>('page', FIND_PAGE, values),
  async updateTitle({ accountId, id, title, revision, now }, event) {
    const [row] = await rowsOf<WalletValues>('update', UPDATE_TITLE, [
      ...event,
      title,
      titleKey(title),
      now,
      revision,
      accountId,
      id,
    ]);
    if (row === undefined) throw new Error('There is no such wallet.');
    return row;
  },
  async findApp(...values) {
    const [row] = await rowsOf<AppValues>('app', FIND_APP, values);
    if (row === undefined) throw new Error('There is no such app.');
    return row;
  },
  async insertToken(token, event) {
    await rowsOf('sign-in', SIGN_IN, [...token, ...event]);
  },
});
