import fs, { statSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Engine } from '../../../src/storage/interface/engine.ts';
import { openDatabase } from '../../../src/storage/open-database.ts';
import { send } from '../../support/both-apis.ts';
import { pathOf } from '../../support/engine.ts';
import { seedTenant, testDatabase, testGateway } from '../../support/gateway.ts';

type Done = (error: NodeJS.ErrnoException | null) => void;

const ADD = 'INSERT INTO item (id) VALUES ($1)';

let database: Engine;
let path: string;
let onFailure: ReturnType<typeof vi.fn<(error: Error) => void>>;
/** The committed ids in the order of their insertion, as another process sees them. */
let committed: () => readonly unknown[];
/** The running syncs. */
let running: Done[];

beforeEach(async () => {
  const { url } = await testDatabase();
  path = pathOf(url);
  onFailure = vi.fn<(error: Error) => void>();
  database = await openDatabase(url, { onFailure });
  onTestFinished(() => database.close());
  await database.write('CREATE TABLE item (place INTEGER PRIMARY KEY AUTOINCREMENT, id INTEGER UNIQUE)');
  const other = new DatabaseSync(path, { readOnly: true });
  onTestFinished(() => other.close());
  const list = other.prepare('SELECT id FROM item ORDER BY place');
  committed = () => list.all().map(({ id }) => id);
});

function replaceSync(fdatasync: (file: number, done: Done) => void): void {
  Object.assign(fs, { fdatasync });
  syncBuiltinESMExports();
}

describe('concurrent writes', () => {
  const WRITES = 50;
  const add = (id: number) => database.write(ADD, [id]);
  const numbers = Array.from({ length: WRITES }, (_, n) => n);

  test('share a commit, in the order of their requests', async () => {
    const before = statSync(`${path}-wal`).size;
    await Promise.all(numbers.map(add));
    expect(committed()).toEqual(numbers);
    // Each separate commit would add at least one page of 4 KiB.
    expect(statSync(`${path}-wal`).size - before).toBeLessThan((WRITES / 2) * 4096);
  });

  test('a failed write has its own error, and only this write is undone', async () => {
    await add(7);
    const outcomes = await Promise.allSettled(numbers.map(add));
    expect(outcomes.map(({ status }) => status)).toEqual(
      numbers.map((id) => (id === 7 ? 'rejected' : 'fulfilled')),
    );
    expect(outcomes[7]).toMatchObject({ reason: { message: expect.stringContaining('UNIQUE') } });
    expect(committed()).toEqual([7, ...numbers.filter((id) => id !== 7)]);
  });

  test('the write that fills the disk fails with its own error, those before it as an outage, and those after it are made', async () => {
    await database.write('CREATE TABLE large (payload TEXT)');
    const [{ count } = { count: 0 }] = await database.read<{ count: number }>(
      'SELECT page_count AS count FROM pragma_page_count',
    );
    await database.write(`PRAGMA max_page_count = ${count + 5}`);
    const outcomes = await Promise.allSettled([
      add(1),
      database.write('INSERT INTO large (payload) VALUES ($1)', ['x'.repeat(100_000)]),
      add(2),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    for (const outcome of outcomes.slice(0, 2)) {
      expect(outcome).toMatchObject({ reason: { reason: 'UNAVAILABLE' } });
    }
    expect(committed()).toEqual([2]);
  });
});

describe('the sync of the log', () => {
  beforeEach(() => {
    running = [];
    const { fdatasync } = fs;
    replaceSync((_file, done) => running.push(done));
    onTestFinished(() => replaceSync(fdatasync));
  });

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
    // A read shows it, although nobody has been told that it was made.
    expect(await database.read('SELECT id FROM item')).toEqual([{ id: 1 }]);

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
});
