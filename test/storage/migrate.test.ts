import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Database } from '../../src/storage/database.ts';
import { migrate, NewerDatabaseError } from '../../src/storage/migrate.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { paw } from '../command/paw.ts';
import { makeDatabase } from '../gateway.ts';

const NOW = 1_767_225_600_123;

const MIGRATIONS = readdirSync(new URL('../../src/storage/migrations/', import.meta.url)).length;

const CREATE_ACCOUNT = ['account', 'create', '--title', 'Atlas'];

let made: ReturnType<typeof makeDatabase>;

beforeEach(() => {
  made = makeDatabase();
});

afterEach(() => made.remove());

/** Opens the test's database, and closes it again. */
async function onDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(made.url);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** All that a migration makes: tables, indexes, and the note of what was applied. */
async function schemaOf(database: Database) {
  const objects = await database.query<{ name: string }>('SELECT * FROM sqlite_schema ORDER BY name');
  const applied = await database.query(
    'SELECT version, apply_time_ms FROM schema_migration ORDER BY version',
  );
  return { objects, applied };
}

test('an empty database gets every table, and a second run changes nothing', () =>
  onDatabase(async (database) => {
    await migrate(database, NOW);
    const first = await schemaOf(database);
    const tables = first.objects.filter((object) => 'type' in object && object.type === 'table');
    expect(tables.map(({ name }) => name)).toEqual([
      'account',
      'app',
      'keyv',
      'page_token_key',
      'project',
      'schema_migration',
      'wallet',
    ]);
    expect(first.applied).toEqual(
      Array.from({ length: MIGRATIONS }, (_, index) => ({ version: index + 1, apply_time_ms: NOW })),
    );

    await migrate(database, NOW + 1);
    expect(await schemaOf(database)).toEqual(first);
  }));

test('a migration that fails leaves nothing of itself, and the next run finds a clean start', () =>
  onDatabase(async (database) => {
    // In the way of the one that the migration makes.
    await database.query('CREATE TABLE wallet (id TEXT)');
    await expect(migrate(database, NOW)).rejects.toThrow(/wallet/);
    const left = await database.query("SELECT name FROM sqlite_schema WHERE type = 'table'");
    expect(left).toEqual([{ name: 'wallet' }]);

    await database.query('DROP TABLE wallet');
    await migrate(database, NOW);
    expect((await schemaOf(database)).applied).toHaveLength(MIGRATIONS);
  }));

test('two programs that start at once on a new file both do their work, and one migrates', async () => {
  const settings = { DATABASE_URL: made.url };
  const results = await Promise.all([paw(CREATE_ACCOUNT, settings), paw(CREATE_ACCOUNT, settings)]);
  expect(results.map(({ status, stderr }) => ({ status, stderr }))).toEqual([
    { status: 0, stderr: '' },
    { status: 0, stderr: '' },
  ]);
  await onDatabase(async (database) => {
    expect((await schemaOf(database)).applied).toHaveLength(MIGRATIONS);
    expect(await database.query('SELECT title FROM account')).toEqual([
      { title: 'Atlas' },
      { title: 'Atlas' },
    ]);
  });
});

test('a database of a newer program is refused in one line by every command, and stays as it is', async () => {
  await onDatabase(async (database) => {
    await migrate(database, NOW);
    await database.query('INSERT INTO schema_migration (version, apply_time_ms) VALUES ($1, $2)', [
      9999,
      NOW,
    ]);
    await expect(migrate(database, NOW)).rejects.toBeInstanceOf(NewerDatabaseError);
  });
  const file = made.url.slice('sqlite:'.length);
  const before = readFileSync(file);
  for (const words of [['serve'], CREATE_ACCOUNT]) {
    expect(await paw(words, { PORT: '0', DATABASE_URL: made.url })).toEqual({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^paw: .*newer.*\n$/i),
    });
  }
  expect(readFileSync(file).equals(before)).toBe(true);
});
