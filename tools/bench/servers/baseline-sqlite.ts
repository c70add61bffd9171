import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { titleKey } from '../../../src/model/title-key.ts';
import {
  type AppValues,
  COUNT_SIGN_IN,
  eventValues,
  FIND_APP,
  INSERT_EVENT,
  INSERT_TOKEN,
  type ProjectValues,
  serveBaseline,
  signInValues,
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
  `UPDATE wallet SET title = ?, title_key = ?, update_time_ms = ? WHERE account_id = ? AND id = ?
   RETURNING id, title, description, project_id, network, address`,
);
const [insertEvent, findApp, insertToken, countSignIn] = [
  INSERT_EVENT,
  FIND_APP,
  INSERT_TOKEN,
  COUNT_SIGN_IN,
].map((sql) => prepare(sql.replaceAll(/\$\d/g, '?'))) as [
  StatementSync,
  StatementSync,
  StatementSync,
  StatementSync,
];
const begin = prepare('BEGIN IMMEDIATE');
const commit = prepare('COMMIT');

serveBaseline({
  findToken: (ownerId, serial, now) =>
    (findToken.get(ownerId, serial, now) as unknown as [string] | undefined)?.[0],
  findPage: (accountId, after, limit) =>
    findPage.all(accountId, after, limit) as unknown as readonly ProjectValues[],
  updateTitle(accountId, id, title, now) {
    begin.run();
    const wallet = updateTitle.get(title, titleKey(title), now, accountId, id) as unknown as WalletValues;
    insertEvent.run(...eventValues(accountId, id));
    commit.run();
    return wallet;
  },
  findApp: (accountId, id) => findApp.get(accountId, id) as unknown as AppValues,
  insertToken(token) {
    begin.run();
    insertToken.run(...token);
    countSignIn.run(...signInValues(token));
    commit.run();
  },
});

function prepare(sql: string): StatementSync {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  return statement;
}
