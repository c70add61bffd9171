import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Database } from '../../src/storage/database.ts';
import { migrate, NewerDatabaseError } from '../../src/storage/migrate.ts';
import { paw } from '../command/paw.ts';
import { onDatabase, schemaOf, tablesOf, textOf } from '../engine.ts';
import { makeDatabase, type TestDatabase } from '../gateway.ts';

const NOW = 1_767_225_600_123;

const MIGRATIONS = readdirSync(new URL('../../src/storage/migrations/', import.meta.url)).length;

const CREATE_ACCOUNT = ['account', 'create', '--title', 'Atlas'];

const APPLIED = 'SELECT version, apply_time_ms FROM schema_migration ORDER BY version';

let made: TestDatabase;

beforeEach(async () => {
  made = await makeDatabase();
});

afterEach(() => made.remove());

async function allOf(database: Database) {
  return { schema: await schemaOf(database), rows: await textOf(database) };
}

test('an empty database gets every table, and a second run changes nothing', () =>
  onDatabase(made.url, async (database) => {
    await migrate(database, NOW);
    expect(await tablesOf(database)).toEqual([
      'account',
      'app',
      'keyv',
      'page_token_key',
      'project',
      'schema_migration',
      'wallet',
    ]);
    expect(await database.query(APPLIED)).toEqual(
      Array.from({ length: MIGRATIONS }, (_, index) => ({ version: index + 1, apply_time_ms: NOW })),
    );
    const first = await allOf(database);

    await migrate(database, NOW + 1);
    expect(await allOf(database)).toEqual(first);
  }));

test('a migration that fails leaves nothing of itself, and the next run finds a clean start', () =>
  onDatabase(made.url, async (database) => {
    // In the way of the one that the migration makes.
    await database.query('CREATE TABLE wallet (id TEXT)');
    await expect(migrate(database, NOW)).rejects.toThrow(/wallet/);
    expect(await tablesOf(database)).toEqual(['wallet']);

    await database.query('DROP TABLE wallet');
    await migrate(database, NOW);
    expect(await database.query(APPLIED)).toHaveLength(MIGRATIONS);
  }));

test('two programs that start at once on a new database both do their work, and one migrates', async () => {
  const settings = { DATABASE_URL: made.url };
  const results = await Promise.all([paw(CREATE_ACCOUNT, settings), paw(CREATE_ACCOUNT, settings)]);
  expect(results.map(({ status, stderr }) => ({ status, stderr }))).toEqual([
    { status: 0, stderr: '' },
    { status: 0, stderr: '' },
  ]);
  await onDatabase(made.url, async (database) => {
    expect(await database.query(APPLIED)).toHaveLength(MIGRATIONS);
    expect(await database.query('SELECT title FROM account')).toEqual([
      { title: 'Atlas' },
      { title: 'Atlas' },
    ]);
  });
});

test('a database of a newer program is refused in one line by every command, and stays as it is', async () => {
  const before = await onDatabase(made.url, async (database) => {
    await migrate(database, NOW);
    await database.query('INSERT INTO schema_migration (version, apply_time_ms) VALUES ($1, $2)', [
      9999,
      NOW,
    ]);
    await expect(migrate(database, NOW)).rejects.toBeInstanceOf(NewerDatabaseError);
    return allOf(database);
  });
  for (const words of [['serve'], CREATE_ACCOUNT]) {
    expect(await paw(words, { PORT: '0', DATABASE_URL: made.url })).toEqual({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^paw: .*newer.*\n$/i),
    });
  }
  expect(await onDatabase(made.url, allOf)).toEqual(before);
});
