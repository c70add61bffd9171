import { mkdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { Database } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { checkpoints } from '../../src/storage/sqlite/checkpoints.ts';
import { createApp } from '../support/actors.ts';
import { restApi } from '../support/apis.ts';
import { pathOf } from '../support/engine.ts';
import { makeDatabase, seedTenant, startGateway } from '../support/gateway.ts';
import { logLines, startProgram } from '../support/paw.ts';

const MEGABYTE = 1_000_000;

const POLL = { timeout: 30_000, interval: 50 };

const HELD = 'a reader keeps the write-ahead log from shrinking';

// Reads in a transaction that it never ends.
const READER = `const { DatabaseSync } = require('node:sqlite');
const reader = new DatabaseSync(process.argv[1], { readOnly: true });
reader.exec('BEGIN; SELECT COUNT(*) FROM item');
console.log('reading');
setInterval(() => reader, 1000);`;

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

test('a reader that keeps the log from shrinking for a minute is named in the log', async () => {
  const gateway = await startGateway({ DATABASE_URL: `sqlite:${path}` });
  onTestFinished(() => gateway.stop());
  const tenant = await seedTenant(gateway);
  const reader = startProgram(process.execPath, ['-e', READER, path], {});
  onTestFinished(async () => void (await reader.stop('SIGKILL')));
  await reader.printed('reading');
  await write(10 * MEGABYTE);
  // The gateway looks at the log when it has written to it.
  await createApp(
    restApi(() => gateway.url),
    tenant.token,
  );
  await new Promise((resolve) => setTimeout(resolve, 1500));
  expect(gateway.log()).not.toContain(HELD);

  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + 61_000);
  onTestFinished(() => void vi.restoreAllMocks());
  await expect.poll(gateway.log, POLL).toContain(HELD);
  const line = logLines(gateway.log()).find(({ msg }) => msg === HELD);
  expect(line).toMatchObject({ processIds: [reader.pid], bytes: expect.any(Number) });
  expect(line.seconds).toBeGreaterThanOrEqual(60);
});

test('the pages of deleted rows are returned to the file system', async () => {
  await write(40 * MEGABYTE);
  await database.write('DELETE FROM item');
  await write(10 * MEGABYTE);
  await expect.poll(() => statSync(path).size, POLL).toBeLessThan(25 * MEGABYTE);
});

test('a checkpoint that fails is tried again', async () => {
  await write(2 * MEGABYTE);
  const missing = `${path}.later`;
  const checkpointing = checkpoints(missing, () => {});
  onTestFinished(checkpointing.close);
  mkdirSync(missing);
  const failed = new Promise((resolve) => {
    process.once('worker', (thread) => thread.once('error', resolve));
  });
  // A folder can't be opened as a database.
  checkpointing.considerLog(10 * MEGABYTE);
  await failed;
  rmSync(missing, { recursive: true });
  for (const suffix of ['', '-wal']) symlinkSync(path + suffix, missing + suffix);
  await expect.poll(logSize, POLL).toBeLessThan(MEGABYTE);
});
