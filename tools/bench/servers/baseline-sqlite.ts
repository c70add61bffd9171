import { DatabaseSync, type StatementSync } from 'node:sqlite';
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

const database = new DatabaseSync(process.env['DATABASE_FILE'] ?? '');
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 2000');

const findToken = prepare('SELECT hash FROM token WHERE account_id = ? AND id = ? AND expire_time_ms > ?');
const findPage = prepare(
  `SELECT id, title, description, image_cover_cid FROM project
   WHERE account_id = ? AND id > ? ORDER BY id LIMIT ?`,
);
const updateTitle = prepare(
  `UPDATE wallet SET title = ?, title_key = ?, update_time_ms = ?, revision = ? WHERE account_id = ? AND id = ?
   RETURNING id, title, description, project_id, network, address`,
);
const [insertEvent, findApp, insertToken] = [INSERT_EVENT, FIND_APP, INSERT_TOKEN].map((sql) =>
  prepare(sql.replaceAll(/\$\d+/g, '?')),
) as [StatementSync, StatementSync, StatementSync];
const begin = prepare('BEGIN IMMEDIATE');
const commit = prepare('COMMIT');

serveBaseline({
  findToken: (ownerId, serial, now) =>
    (findToken.get(ownerId, serial, now) as unknown as [string] | undefined)?.[0],
  findPage: (accountId, after, limit) =>
    findPage.all(accountId, after, limit) as unknown as readonly ProjectValues[],
  updateTitle({ accountId, id, title, revision, now }, event) {
    begin.run();
    const values = [title, titleKey(title), now, revision, accountId, id];
    const wallet = updateTitle.get(...values) as unknown as WalletValues;
    insertEvent.run(...event);
    commit.run();
    return wallet;
  },
  findApp: (accountId, id) => findApp.get(accountId, id) as unknown as AppValues,
  insertToken(token, event) {
    begin.run();
    insertToken.run(...token);
    insertEvent.run(...event);
    commit.run();
  },
});

function prepare(sql: string): StatementSync {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  return statement;
}
