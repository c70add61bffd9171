import { expect, test } from 'vitest';
import { BackgroundWrites } from '../../../src/storage/background-writes.ts';

/** Returns the background writes of a database whose writes wait until they are ended. */
function make() {
  const written: string[] = [];
  const errors: unknown[] = [];
  let current = Promise.withResolvers<readonly never[]>();
  const write = (sql: string) => {
    written.push(sql);
    current = Promise.withResolvers();
    return current.promise;
  };
  const writes = new BackgroundWrites({ write }, (error) => errors.push(error));
  const add = (id: string, sql = id) => writes.add(id, { sql, params: [] });
  /** Ends the running write, and lets the next one begin. */
  const end = async (error?: Error) => {
    if (error) current.reject(error);
    else current.resolve([]);
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  };
  return { writes, written, errors, add, end };
}

test('writes are executed one after the other, and one at a time for a row', async () => {
  const { written, add, end } = make();
  add('a');
  add('b');
  add('a', 'a again');
  expect(written).toEqual(['a']);
  await end();
  expect(written).toEqual(['a', 'b']);
  add('a', 'a later');
  await end();
  await end();
  expect(written).toEqual(['a', 'b', 'a later']);
});

test('a write that fails is reported, and the next ones are executed', async () => {
  const { written, errors, add, end } = make();
  const error = new Error('The database is away.');
  add('a');
  add('b');
  await end(error);
  await end();
  add('c');
  expect(written).toEqual(['a', 'b', 'c']);
  expect(errors).toEqual([error]);
});

test('beyond 1,000 writes that wait, further ones are left out', async () => {
  const { written, add, end } = make();
  for (let n = 0; n < 1001; n += 1) add(`row ${n}`);
  for (let n = 0; n < 1001; n += 1) await end();
  expect(written).toHaveLength(1000);
  add('row 1000');
  expect(written).toHaveLength(1001);
});

test('closing drops the writes that wait, and waits for the running one', async () => {
  const { writes, written, add, end } = make();
  add('a');
  add('b');
  let isClosed = false;
  const closed = writes.close().then(() => {
    isClosed = true;
  });
  add('c');
  await Promise.resolve();
  expect(isClosed).toBe(false);
  await end();
  await closed;
  expect(written).toEqual(['a']);
});
