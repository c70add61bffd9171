import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { titleKey } from '../../../src/model/title-key.ts';
import {
  eventValues,
  INSERT_EVENT,
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
  `UPDATE wallet SET title = ?, title_key = ?, update_time_ms = ? WHERE account_id = ? AND id = ?
   RETURNING id, title, description, project_id, network, address`,
);
const insertEvent = prepare(INSERT_EVENT.replaceAll(/\$\d/g, '?'));
const begin = prepare('BEGIN IMMEDIATE');
const commit = prepare('COMMIT');
const [key] = prepare('SELECT key FROM page_token_key').get() as unknown as [string];

serveBaseline(
  {
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
  },
  key,
);

function prepare(sql: string): StatementSync {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  return statement;
}
