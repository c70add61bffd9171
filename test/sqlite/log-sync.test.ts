import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { Database } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { send } from '../support/apis.ts';
import { pathOf } from '../support/engine.ts';
import { seedTenant, testDatabase, testGateway } from '../support/gateway.ts';

type Done = (error: NodeJS.ErrnoException | null) => void;

const ADD = 'INSERT INTO item (id) VALUES ($1)';

let database: Database;
let onFailure: ReturnType<typeof vi.fn<(error: Error) => void>>;
/** The committed ids, as another process sees them. */
let committed: () => readonly unknown[];
/** The running syncs. */
let running: Done[];

beforeEach(async () => {
  const { url } = await testDatabase();
  onFailure = vi.fn<(error: Error) => void>();
  database = await openDatabase(url, { onFailure });
  onTestFinished(() => database.close());
  await database.write('CREATE TABLE item (id INTEGER UNIQUE)');
  const other = new DatabaseSync(pathOf(url), { readOnly: true });
  onTestFinished(() => other.close());
  committed = () =>
    other
      .prepare('SELECT id FROM item ORDER BY id')
      .all()
      .map(({ id }) => id);
  running = [];
  const { fdatasync } = fs;
  replaceSync((_file, done) => running.push(done));
  onTestFinished(() => replaceSync(fdatasync));
});

function replaceSync(fdatasync: (file: number, done: Done) => void): void {
  Object.assign(fs, { fdatasync });
  syncBuiltinESMExports();
}

/** Writes an id, and returns the states of the write: `pending`, `acknowledged`, or the reason of its error. */
function add(id: number): { state: string } {
  const write = { state: 'pending' };
  database.write(ADD, [id]).then(
    () => Object.assign(write, { state: 'acknowledged' }),
    ({ reason, message }) => Object.assign(write, { state: reason ?? message }),
  );
  return write;
}

test('a write is acknowledged after a sync that began after its commit, and not before', async () => {
  const first = add(1);
  await expect.poll(committed).toEqual([1]);
  expect(running).toHaveLength(1);

  const [second, third] = [add(2), add(3)];
  await expect.poll(committed).toEqual([1, 2, 3]);
  expect(running).toHaveLength(1);
  expect(first.state).toBe('pending');

  running.shift()?.(null);
  await expect.poll(() => first.state).toBe('acknowledged');
  expect([second.state, third.state]).toEqual(['pending', 'pending']);
  expect(running).toHaveLength(1);

  running.shift()?.(null);
  await expect.poll(() => second.state).toBe('acknowledged');
  expect(third.state).toBe('acknowledged');
});

test('after a failed sync, what was committed is RESULT_UNKNOWN, and what was not executed is UNAVAILABLE', async () => {
  const first = add(1);
  await expect.poll(committed).toEqual([1]);
  const [second, failed] = [add(2), add(1)];
  await expect.poll(committed).toEqual([1, 2]);
  const slow = database.transaction(async (transaction) => {
    await transaction.write(ADD, [3]);
    running.shift()?.(Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' }));
  });
  await expect(slow).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
  expect([first.state, second.state]).toEqual(['RESULT_UNKNOWN', 'RESULT_UNKNOWN']);
  expect(failed.state).toContain('UNIQUE');
  await expect(database.write(ADD, [4])).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
  expect(committed()).toEqual([1, 2]);
  expect(running).toEqual([]);
  expect(onFailure.mock.calls).toEqual([
    [new Error('The write-ahead log could not be synced: EIO: i/o error, fdatasync')],
  ]);
});

test('a response is repeated for its Idempotency-Key after a sync, since another process may have stored it, while reads go on', async () => {
  replaceSync((_file, done) => done(null));
  const gateway = await testGateway();
  const { token } = await seedTenant(gateway);
  const create = () =>
    send(
      `${gateway.url}/auth/apps`,
      'POST',
      token,
      { title: 'App', active: true },
      { 'idempotency-key': 'key' },
    );
  const { text } = await create();

  replaceSync((_file, done) => running.push(done));
  let isRepeated = false;
  const repetition = create().then((response) => {
    isRepeated = true;
    return response;
  });
  await expect.poll(() => running.length).toBe(1);
  expect((await send(`${gateway.url}/project/projects`, 'GET', token)).status).toBe(200);
  expect(isRepeated).toBe(false);
  running.shift()?.(null);
  expect((await repetition).text).toBe(text);
  replaceSync((_file, done) => done(null));
});

test('closing a database waits for a running sync', async () => {
  const { url } = await testDatabase();
  const closing = await openDatabase(url, { onFailure });
  const synced = closing.synced();
  expect(running).toHaveLength(1);
  const closed = closing.close();
  await new Promise((resolve) => setImmediate(resolve));
  running.shift()?.(null);
  await Promise.all([synced, closed]);
  expect(onFailure).not.toHaveBeenCalled();
});
