import { expect, inject, test } from 'vitest';
import type { Ulid } from '../../../src/model/resource-name.ts';
import type { Change, ConditionalSql, Database } from '../../../src/storage/interface/database.ts';
import { openDatabase } from '../../../src/storage/open-database.ts';
import { insertedRow, renderStatement } from '../../../src/storage/work/change.ts';
import { makeCitusDatabase } from '../../support/citus.ts';
import { LONG_TIMEOUT } from '../../support/long-deadlines.ts';
import { startBeforeAll } from '../../support/start-before-all.ts';

const ADD = `INSERT INTO account (id, title, default_project_id, project_count, create_time_ms)
  VALUES ('A', 'Locked', 'P', 1, 0)`;

const RENAME: ConditionalSql = ([id, title], condition) =>
  `UPDATE account SET title = ${title} WHERE id = ${id} AND ${condition} RETURNING id`;

const EVENT: ConditionalSql = (ids, condition) =>
  `INSERT INTO audit_event (account_id, id, action, resource, fields, event_count, last_time_ms)
  ${insertedRow([...ids, "'account.rename'", "'accounts/A'", "''", '1', '0'], condition)}`;

const COUNT_EVENTS = "SELECT COUNT(*) AS count FROM audit_event WHERE account_id = 'A'";

let holder: Database;
let database: Database;

startBeforeAll(async (opening) => {
  const made = await makeCitusDatabase(inject('citusUrl') ?? '');
  opening.defer(made.remove);
  const open = async (lockTimeoutMs?: number) => {
    const opened = await openDatabase(made.url, { postgres: { ...LONG_TIMEOUT.postgres, lockTimeoutMs } });
    opening.defer(() => opened.close());
    return opened;
  };
  [holder, database] = await Promise.all([open(), open(200)]);
  await holder.write(ADD);
});

const ACCOUNT = 'A' as Ulid;

const rename: Change = { sql: RENAME, params: [ACCOUNT, 'Renamed'] };

const { sql: plainRename } = renderStatement(rename);

test.each<[string, () => Promise<unknown>]>([
  ['a write', () => database.write(plainRename, ['A', 'Renamed'])],
  [
    'a write with its audit event',
    () => database.writeIfFirst([rename, { sql: EVENT, params: [ACCOUNT, 'never'] }]),
  ],
  ['a transaction', () => database.transaction(({ write }) => write(plainRename, ['A', 'Renamed']))],
])('%s waits for a lock of a worker as long as for one of its own server', async (_, run) => {
  await holder.transaction(async ({ write }) => {
    await write(plainRename, ['A', 'Held']);
    await expect(run()).rejects.toMatchObject({ reason: 'UNAVAILABLE', cause: { code: '55P03' } });
  });
  expect(await database.read(COUNT_EVENTS)).toEqual([{ count: 0 }]);
});

test('a write whose row is missing has no audit event, and the next one has its own', async () => {
  const write = (id: Ulid, event: string) =>
    database.writeIfFirst([
      { ...rename, params: [id, 'Free'] },
      { sql: EVENT, params: [ACCOUNT, event] },
    ]);
  expect(await write('missing' as Ulid, 'E1')).toEqual([]);
  expect(await database.read(COUNT_EVENTS)).toEqual([{ count: 0 }]);
  expect(await write(ACCOUNT, 'E2')).toEqual([{ id: 'A' }]);
  expect(await database.read(COUNT_EVENTS)).toEqual([{ count: 1 }]);
  // The second event has the id of another one.
  await expect(write(ACCOUNT, 'E2')).rejects.toMatchObject({ code: '23505' });
  expect(await database.read(COUNT_EVENTS)).toEqual([{ count: 1 }]);
});
