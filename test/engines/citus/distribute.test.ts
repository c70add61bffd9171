import { expect, inject, onTestFinished, test } from 'vitest';
import type { Database } from '../../../src/storage/interface/database.ts';
import { migrationsAfter } from '../../../src/storage/migrations/versions.ts';
import { TABLES } from '../../../src/storage/tables/tables.ts';
import { makeCitusDatabase } from '../../support/citus.ts';
import { onDatabase, pathOf } from '../../support/engine.ts';
import { makeSqliteFile, migrateDatabase, seedDatabase, type TestDatabase } from '../../support/gateway.ts';
import {
  COUNT_FILLED,
  DOCUMENTED_MIGRATIONS,
  DOCUMENTED_NAMES,
  newerProgram,
} from '../../support/newer-program.ts';
import { ulidOf } from '../../support/requests.ts';
import { addRow, rowsOf as readRows } from '../../support/rows.ts';
import { paw, pawJson } from '../../support/run-command.ts';

const NAMES = [...TABLES.map(({ name }) => name as string), 'schema_migration'];

const LIST_DISTRIBUTED = `SELECT CAST(logicalrelid AS text) AS name, CAST(partmethod AS text) AS method,
  (SELECT count(*) FROM pg_dist_shard s WHERE s.logicalrelid = p.logicalrelid) AS shards,
  pg_relation_size(logicalrelid) AS local_bytes FROM pg_dist_partition p ORDER BY 1`;

const LIST_SHARDS = 'SELECT shardid FROM pg_dist_shard ORDER BY 1';

// Each shard has the foreign keys of its table.
const COUNT_FOREIGN_KEYS =
  "SELECT count(*) AS count FROM pg_constraint WHERE contype = 'f' AND conrelid = CAST('token' AS regclass)";

async function citus(options?: Parameters<typeof makeCitusDatabase>[1]) {
  const made = await makeCitusDatabase(inject('citusUrl') ?? '', options);
  onTestFinished(made.remove);
  return made;
}

const seed = ({ url }: TestDatabase) => seedDatabase(url, { projects: 2, wallets: 2 });

async function rowsOf(database: Database): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const { name, columns } of TABLES) {
    const rows = await database.read(`SELECT ${columns} FROM ${name}`);
    lines.push(...rows.map((row) => `${name} ${JSON.stringify(row)}`));
  }
  return lines.sort();
}

test('a database with rows is distributed in place, and a second time changes nothing', async () => {
  const made = await citus({ isDistributed: false });
  const settings = { DATABASE_URL: made.url };
  await seed(made);
  const before = await onDatabase(made.url, async (database) => ({
    rows: await rowsOf(database),
  }));
  const words = ['migrate', '--distribute', '--shards', '8'];
  expect(await pawJson(words, settings)).toEqual({ version: 1, applied: [], distributed: NAMES });
  const shards = await onDatabase(made.url, async (database) => {
    expect(await rowsOf(database)).toEqual(before.rows);
    expect(await database.read(LIST_DISTRIBUTED)).toEqual(
      NAMES.toSorted().map((name) => {
        const isSmall = name === 'schema_migration';
        return { name, method: isSmall ? 'n' : 'h', shards: isSmall ? 1 : 8, local_bytes: 0 };
      }),
    );
    expect(await database.read(COUNT_FOREIGN_KEYS)).toEqual([{ count: 2 }]);
    return database.read(LIST_SHARDS);
  });
  for (const url of made.workerUrls) {
    expect(await onDatabase(url, rowsOf)).toEqual(before.rows);
  }
  expect(await paw(words, settings)).toMatchObject({
    status: 0,
    stdout: /^All tables are already distributed\./,
  });
  expect(await onDatabase(made.url, (database) => database.read(LIST_SHARDS))).toEqual(shards);
});

test('a schema with the name of the role, in which new tables would be, gets no second set of tables', async () => {
  const made = await citus({ isDistributed: false });
  await seed(made);
  const before = await onDatabase(made.url, async (database) => {
    const [role] = await database.read<{ name: string }>('SELECT current_user AS name');
    await database.write(`CREATE SCHEMA ${role?.name}`);
    return rowsOf(database);
  });
  const settings = { DATABASE_URL: made.url };
  expect(await pawJson(['migrate', '--distribute'], settings)).toMatchObject({
    applied: [],
    distributed: NAMES,
  });
  expect(await onDatabase(made.url, rowsOf)).toEqual(before);
});

test('the tables are distributed by the coordinator alone', async () => {
  const made = await citus({ isDistributed: false });
  await migrateDatabase(made.workerUrls[0] ?? '');
  const { status, stderr } = await paw(['migrate', '--distribute'], {
    DATABASE_URL: made.workerUrls[0] ?? '',
  });
  expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(/^paw: .*worker.*\n$/) });
});

test('a table that a migration creates is distributed before rows are inserted, with its foreign keys', async () => {
  const made = await citus();
  const { account, projects } = await seed(made);
  await onDatabase(made.url, async (database) => {
    expect(await readRows(database, 'token')).toHaveLength(1);
    await database.write('ALTER TABLE token RENAME TO old_token');
    await database.write('DROP TABLE old_token');
    const statements = migrationsAfter(0, database).flatMap((each) => each.statements);
    const distributed = await database.transaction(async (transaction) => {
      const names: string[] = [];
      for (const statement of statements.filter((text) =>
        /^CREATE [A-Z ]*(TABLE token|INDEX \w+ ON token)\b/m.test(text),
      )) {
        await transaction.write(statement);
        names.push(...(await database.distribute(transaction)));
      }
      for (const name of projects) {
        const ids = { account_id: ulidOf(account), id: ulidOf(name), project_id: ulidOf(name) };
        const texts = { hash: '', title: '', is_one_project: 0, is_read_only: 0 };
        await addRow(transaction, 'token', { ...ids, ...texts, expire_time_ms: 0 });
      }
      return names;
    });
    expect(distributed).toEqual(['token']);
    expect(await readRows(database, 'token')).toHaveLength(2);
    expect(await database.read(COUNT_FOREIGN_KEYS)).toEqual([{ count: 2 }]);
  });
});

test('a migration fills a column of a distributed table in batches, and creates an index on it', async () => {
  const made = await citus();
  const { wallets } = await seed(made);
  const program = newerProgram(...DOCUMENTED_MIGRATIONS);
  const { status, stdout } = await program.run(['migrate', '--json'], { DATABASE_URL: made.url });
  expect({ status, ...JSON.parse(stdout) }).toMatchObject({ status: 0, applied: DOCUMENTED_NAMES });
  const counts = await onDatabase(made.url, (database) => database.read(COUNT_FILLED));
  expect(counts).toEqual([{ count: wallets.length }]);
});

test('check, copy, export, deletion and restoration of an account work on distributed tables', async () => {
  const source = makeSqliteFile();
  onTestFinished(source.remove);
  const { account, projects, wallets } = await seed(source);
  const made = await citus();
  const settings = { DATABASE_URL: made.url };
  const copied = await pawJson(['copy', '--to', made.url], { DATABASE_URL: source.url });
  expect(copied).toMatchObject({ accounts: 1, projects: 2, wallets: 2, tokens: 1 });
  expect(await onDatabase(made.url, rowsOf)).toEqual(await onDatabase(source.url, rowsOf));
  expect(await pawJson(['check'], settings)).toMatchObject({ accounts: 1, projects: 2, problemCount: 0 });
  const { status, stdout } = await paw(['account', 'export', account], settings);
  expect(status).toBe(0);
  for (const name of [account, ...projects, ...wallets]) expect(stdout).toContain(name);
  await pawJson(['account', 'delete', account, '--yes', '--keep-audit'], settings);
  const kept = await onDatabase(made.url, rowsOf);
  const backup = `${pathOf(source.url)}.backup`;
  await pawJson(['backup', backup], { DATABASE_URL: source.url });
  await pawJson(['restore', '--account', account, '--with-addresses', backup], settings);
  const rows = [...kept, ...(await onDatabase(source.url, rowsOf))];
  expect(await onDatabase(made.url, rowsOf)).toEqual([...new Set(rows)].sort());
  await pawJson(['account', 'delete', account, '--yes'], settings);
  expect(await onDatabase(made.url, rowsOf)).toEqual([]);
});
