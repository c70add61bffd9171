import { mkdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { Engine } from '../../../src/storage/interface/engine.ts';
import { openDatabase } from '../../../src/storage/open-database.ts';
import { Checkpoints } from '../../../src/storage/sqlite/checkpoints.ts';
import { pathOf } from '../../support/engine.ts';
import { testDatabase } from '../../support/gateway.ts';

const MEGABYTE = 1_000_000;

let database: Engine;
let path: string;

beforeEach(async () => {
  const { url } = await testDatabase();
  path = pathOf(url);
  database = await openDatabase(url);
  onTestFinished(() => database.close());
  await database.write('CREATE TABLE item (id INTEGER PRIMARY KEY, payload TEXT)');
});

const logSize = () => statSync(`${path}-wal`).size;

/** Writes this number of bytes, in rows of 200 KB. Returns the maximum size of the log. */
async function write(bytes: number): Promise<number> {
  let largest = 0;
  for (let written = 0; written < bytes; written += 200_000) {
    await database.write('INSERT INTO item (payload) VALUES ($1)', ['x'.repeat(200_000)]);
    largest = Math.max(largest, logSize());
  }
  return largest;
}

test('the log stays under 64 MB while more is written', async () => {
  expect(await write(80 * MEGABYTE)).toBeLessThan(64 * MEGABYTE);
});

test('a log that could not shrink because of a reader shrinks with a write after the reader has ended', async () => {
  const reader = new DatabaseSync(path, { readOnly: true });
  reader.exec('BEGIN');
  reader.prepare('SELECT COUNT(*) FROM item').get();
  await write(20 * MEGABYTE);
  expect(logSize()).toBeGreaterThan(20 * MEGABYTE);
  reader.close();
  const writeAndMeasure = async () => {
    await write(1);
    return logSize();
  };
  await expect.poll(writeAndMeasure).toBeLessThan(MEGABYTE);
});

test('a checkpoint that fails is tried again', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  await write(2 * MEGABYTE);
  const later = `${path}.later`;
  const checkpoints = new Checkpoints(later);
  onTestFinished(() => checkpoints.close());
  mkdirSync(later);
  const failed = new Promise((resolve) => {
    process.once('worker', (thread) => thread.once('error', resolve));
  });
  // A folder can't be opened as a database.
  checkpoints.considerLog(10 * MEGABYTE);
  await failed;
  rmSync(later, { recursive: true });
  for (const suffix of ['', '-wal']) symlinkSync(path + suffix, later + suffix);
  vi.advanceTimersByTime(60_000);
  await expect.poll(logSize).toBeLessThan(MEGABYTE);
});
