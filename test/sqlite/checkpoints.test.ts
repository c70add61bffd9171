import { mkdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { Database } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { Checkpoints } from '../../src/storage/sqlite/checkpoints.ts';
import { pathOf } from '../support/engine.ts';
import { makeDatabase } from '../support/gateway.ts';

const MEGABYTE = 1_000_000;

const POLL = { timeout: 30_000, interval: 50 };

let database: Database;
let path: string;

beforeEach(async () => {
  const { url, remove } = await makeDatabase();
  onTestFinished(remove);
  path = pathOf(url);
  database = await openDatabase(url);
  onTestFinished(() => database.close());
  await database.write('CREATE TABLE item (id INTEGER PRIMARY KEY, payload TEXT)');
});

const logSize = () => statSync(`${path}-wal`).size;

/** Writes this number of bytes, in rows of 10 KB. Returns the maximum size of the log. */
async function write(bytes: number): Promise<number> {
  let largest = 0;
  for (let written = 0; written < bytes; written += 100_000) {
    const payload = 'x'.repeat(10_000);
    const rows = Array.from({ length: 10 }, () =>
      database.write('INSERT INTO item (payload) VALUES ($1)', [payload]),
    );
    await Promise.all(rows);
    largest = Math.max(largest, logSize());
  }
  return largest;
}

test('the log stays under 64 MB while much more is written', async () => {
  expect(await write(150 * MEGABYTE)).toBeLessThan(64 * MEGABYTE);
});

test('a log that could not shrink because of a reader shrinks after the reader has ended', async () => {
  const reader = new DatabaseSync(path, { readOnly: true });
  reader.exec('BEGIN');
  reader.prepare('SELECT COUNT(*) FROM item').get();
  await write(20 * MEGABYTE);
  expect(logSize()).toBeGreaterThan(20 * MEGABYTE);
  reader.close();
  await expect.poll(logSize, POLL).toBeLessThan(MEGABYTE);
});

test('a log that is not large is checkpointed once in a minute in which it has grown', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const other = await openDatabase(`sqlite:${path}`);
  onTestFinished(() => other.close());
  await write(MEGABYTE);
  expect(logSize()).toBeGreaterThan(MEGABYTE);
  vi.advanceTimersByTime(60_000);
  await expect.poll(logSize, POLL).toBeLessThan(MEGABYTE / 10);
});

test('a checkpoint that fails is tried again', async () => {
  await write(2 * MEGABYTE);
  const missing = `${path}.later`;
  const checkpoints = new Checkpoints(missing);
  onTestFinished(() => checkpoints.close());
  mkdirSync(missing);
  const failed = new Promise((resolve) => {
    process.once('worker', (thread) => thread.once('error', resolve));
  });
  // A folder can't be opened as a database.
  checkpoints.considerLog(10 * MEGABYTE);
  await failed;
  rmSync(missing, { recursive: true });
  for (const suffix of ['', '-wal']) symlinkSync(path + suffix, missing + suffix);
  await expect.poll(logSize, POLL).toBeLessThan(MEGABYTE);
});
