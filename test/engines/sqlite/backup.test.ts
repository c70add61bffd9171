import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createProject } from '../../../src/data/projects/create-project.ts';
import { restApi } from '../../support/both-apis.ts';
import { damageTable, onDatabase, pathOf, textOf } from '../../support/engine.ts';
import {
  makeDatabase,
  seedDatabase,
  startGateway,
  type Tenant,
  type TestDatabase,
  testDatabase,
  testGateway,
} from '../../support/gateway.ts';
import { tokenStatus } from '../../support/requests.ts';
import { addWallets, setRows, writerOf } from '../../support/rows.ts';
import {
  paw,
  pawInShell,
  pawJson,
  pawProcess,
  startPaw,
  startServerProcess,
} from '../../support/run-command.ts';

test.each([
  ['backup', 'pg_dump'],
  ['restore', 'pg_restore'],
])('on PostgreSQL %s names %s', async (command, tool) => {
  const settings = { DATABASE_URL: 'postgres://db.example.com/paw' };
  const { status, stdout, stderr } = await paw([command, 'file.db'], settings);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(new RegExp(`^paw: .*${tool}\\.\\n$`));
});

let made: TestDatabase;
let path: string;
let file: string;
let tenant: Tenant;

/** A database that each test gets a copy of. */
let template: TestDatabase;

beforeAll(async () => {
  template = await makeDatabase();
  tenant = await seedDatabase(template.url, { wallets: 1 });
  await onDatabase(template.url, (own) => addWallets(own, tenant, 10_000, 'hex(randomblob(400))'));
  return template.remove;
});

beforeEach(async () => {
  made = await testDatabase();
  path = pathOf(made.url);
  file = join(dirname(path), 'backup.db');
  cpSync(pathOf(template.url), path);
});

const run = (...words: string[]) => paw(words, { DATABASE_URL: made.url });

const content = (url = made.url) => onDatabase(url, textOf);

const tokenStatusAt = (url: string) => {
  const api = restApi(() => url);
  return tokenStatus(api, tenant.token);
};

/** Starts a command, and kills it when a file with `part` in its name appears in the folder of the database. */
async function killDuring(part: string, ...words: string[]): Promise<number | null> {
  const appeared = Promise.withResolvers<void>();
  const watcher = watch(dirname(path), (_event, name) => {
    if (name?.includes(part)) appeared.resolve();
  });
  const command = startPaw(words, { DATABASE_URL: made.url });
  await Promise.race([appeared.promise, command.ended]);
  watcher.close();
  const { status } = await command.stop('SIGKILL');
  return status;
}

describe('a backup', () => {
  test('of a database that is written to has everything that was acknowledged before it, and nothing by halves', async () => {
    const gateway = await startGateway({ DATABASE_URL: made.url });
    const before: string[] = [];
    let isDone = false;
    const create = async () =>
      (await createProject(gateway.operator, { account: tenant.account, title: 'Quarry' })).project.name;
    before.push(await create());
    const writing = (async () => {
      let count = 0;
      for (; !isDone; count += 1) await create();
      return count;
    })();
    const { status, stdout } = await pawProcess(['backup', file, '--json'], { DATABASE_URL: made.url });
    isDone = true;
    expect(await writing).toBeGreaterThan(0);
    expect(status).toBe(0);
    await gateway.stop();
    expect(JSON.parse(stdout)).toEqual({ file, bytes: statSync(file).size });
    expect(statSync(file).mode & 0o777).toBe(0o600);

    const settings = { DATABASE_URL: `sqlite:${file}` };
    const words = ['project', 'list', '--account', tenant.account, '--page-size', '2'];
    const { projects } = await pawJson(words, settings);
    expect(projects.map(({ name }: { name: string }) => name)).toEqual([tenant.projects[0], ...before]);
    const { problems } = await pawJson(['check'], settings);
    expect(problems).toEqual([]);
  });

  test('never overwrites a file, and leaves none if it fails', async () => {
    writeFileSync(file, 'precious');
    expect(await run('backup', file)).toEqual({
      status: 1,
      stdout: '',
      stderr: `paw: The file ${file} exists. A backup never overwrites a file.\n`,
    });
    expect(statSync(file).size).toBe('precious'.length);
    const missing = join(dirname(path), 'missing', 'backup.db');
    expect(await run('backup', missing)).toMatchObject({ status: 1, stdout: '' });
    const settings = { DATABASE_URL: made.url };
    const limited = await pawInShell('ulimit -f 1000; exec "$@"', ['backup', `${file}.2`], settings);
    expect(limited).toMatchObject({ status: 1, stderr: expect.stringMatching(/^paw: .+\n$/) });
    expect(readdirSync(dirname(path)).filter((name) => /partial|journal|backup.db.2/.test(name))).toEqual([]);
  });

  test.each<[what: string, sql: string]>([
    ['an empty file', ''],
    ['the database of another program', 'CREATE TABLE customer (id INTEGER)'],
  ])('of %s is refused, and a server in production does not start on it', async (_, sql) => {
    const other = join(dirname(path), 'other.db');
    writeFileSync(other, '');
    execute(other, sql);
    const settings = { DATABASE_URL: `sqlite:${other}`, NODE_ENV: 'production', PORT: '0' };
    expect(await paw(['backup', file], settings)).toEqual({
      status: 1,
      stdout: '',
      stderr: `paw: The file ${other} is not a database of this program.\n`,
    });
    expect(existsSync(file)).toBe(false);
    expect(await pawProcess(['serve'], settings)).toEqual({
      status: 1,
      stdout: '',
      stderr:
        sql === ''
          ? 'paw: The database has no tables. Run "npm run -s paw -- migrate".\n'
          : `paw: The file ${other} is the database of another program.\n`,
    });
    const connection = new DatabaseSync(other);
    expect(connection.prepare('SELECT name FROM sqlite_schema').all()).toHaveLength(sql === '' ? 0 : 1);
    connection.close();
  });

  test('that is killed leaves no file with its name, and can be repeated', async () => {
    const status = await killDuring('.partial-', 'backup', file);
    // The process can be faster than the signal.
    if (status === null) expect(existsSync(file)).toBe(false);
    const again = status === null ? file : `${file}.2`;
    expect(await run('backup', again)).toMatchObject({ status: 0 });
    expect(await content(`sqlite:${again}`)).toEqual(await content());
  });
});

/** Values that no operation writes. */
const INVALID = [
  ['account', 'state', "'OPEN'"],
  ['account', 'title', "''"],
  ['account', 'project_count', "'many'"],
  ['account', 'create_time_ms', '-9000000000000000'],
  ['project', 'description', "x'00'"],
  ['project', 'title', 'char(0)'],
  ['project', 'image_cover_cid', `'bafkrei${'a'.repeat(52)}'`],
  ['token', 'id', "''"],
  ['wallet', 'title', "x'61'"],
  ['wallet', 'title_key', "'other'"],
  ['wallet', 'network', "'NETWORK_MOON'"],
  ['wallet', 'address', "'0x00'"],
  ['wallet', 'password_hash', "'plain'"],
  ['wallet', 'reference', "id || ' '"],
  ['project', 'reference', 'id || id || id'],
  ['wallet', 'revision', "'../../x'"],
  ['wallet', 'create_time_ms', '9223372036854775807'],
  ['project', 'create_time_ms', '9000000000000000'],
  ['project', 'title', "printf('%201c', 'x')"],
  ['token', 'hash', "'0'"],
  ['audit_event', 'action', "'wallet.steal'"],
  ['audit_event', 'resource', "'wallets/../x'"],
  ['audit_event', 'event_count', '0.5'],
] as const;

describe('a restoration', () => {
  test('brings back the database of the backup, and its tokens are valid', async () => {
    const before = await content();
    await run('backup', file);
    await run('account', 'delete', tenant.account, '--yes');
    expect(await content()).not.toEqual(before);
    expect(await run('restore', file)).toMatchObject({ status: 0, stderr: '' });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await content()).toEqual(before);
    const gateway = await testGateway({ DATABASE_URL: made.url });
    expect(await tokenStatusAt(gateway.url)).toBe('ok');
  });

  test('leaves the mode of the file that it replaces, and as root its owner', async () => {
    await run('backup', file);
    const isRoot = process.getuid?.() === 0;
    if (isRoot) chownSync(path, 1234, 5678);
    chmodSync(path, 0o640);
    const { uid, gid, mode } = statSync(path);
    expect(await run('restore', file)).toMatchObject({ status: 0 });
    expect(statSync(path)).toMatchObject({ uid, gid, mode });
  });

  test('creates a database that does not exist, in a folder that does not exist', async () => {
    await run('backup', file);
    const url = `sqlite:${join(dirname(path), 'new', 'folder', 'paw.db')}`;
    expect(await paw(['restore', file], { DATABASE_URL: url })).toMatchObject({ status: 0 });
    expect(await content(url)).toEqual(await content());
  });

  test('is refused while a server uses the database, in this or another process', async () => {
    await run('backup', file);
    const stderr = `paw: Another process uses ${path}. Stop the server first.\n`;
    const refusal = { status: 1, stdout: '', stderr };
    const gateway = await startGateway({ DATABASE_URL: made.url });
    expect(await run('restore', file)).toEqual(refusal);
    await gateway.stop();
    const server = await startServerProcess({ DATABASE_URL: made.url });
    expect(await run('restore', file)).toEqual(refusal);
    expect(await tokenStatusAt(server.url)).toBe('ok');
    expect(await server.stop('SIGTERM')).toMatchObject({ status: 0 });
    expect(await run('restore', file)).toMatchObject({ status: 0 });
  });

  test('replaces a damaged database, without its write-ahead log', async () => {
    const before = await content();
    await run('backup', file);
    const other = new DatabaseSync(path);
    other.exec('PRAGMA wal_autocheckpoint = 0');
    await setRows(writerOf(other), 'account', { title: 'Later' });
    cpSync(`${path}-wal`, `${path}-wal.copy`);
    other.close();
    cpSync(`${path}-wal.copy`, `${path}-wal`);
    writeFileSync(path, 'no database');
    expect(await run('restore', file)).toMatchObject({ status: 0, stderr: '' });
    expect(await content()).toEqual(before);
  });

  test.each<readonly [what: string, spoil: () => void, problem: RegExp]>([
    ['a text', () => writeFileSync(file, 'no database'), /file is not a database/],
    ['a named pipe', () => void spawnSync('mkfifo', [`${file}.missing`]), /is not a file/],
    ['an empty file', () => writeFileSync(file, ''), /is not a database of this program/],
    ['a damaged file', () => damageTable(file, 'wallet'), /can't be restored/],
    ['a file cut short', () => truncateSync(file, statSync(file).size >> 1), /can't be restored/],
    ['a file with a log', () => writeFileSync(`${file}-wal`, 'log'), /can be incomplete/],
    [
      'a link to a file with a log',
      () => {
        renameSync(file, `${file}.other`);
        symlinkSync(`${file}.other`, file);
        writeFileSync(`${file}.other-wal`, 'log');
      },
      /can be incomplete/,
    ],
    ['the copy of a database without its log', () => cpSync(path, file), /can be incomplete/],
    ['a file with a view', () => execute(file, 'CREATE VIEW more AS SELECT 1'), /view more is not one of/],
    [
      'a file whose tokens are a view without an end',
      () =>
        execute(
          file,
          `DROP TABLE token; CREATE VIEW token AS WITH RECURSIVE n (id) AS (SELECT '' UNION ALL SELECT id || 'x' FROM n)
SELECT id AS account_id, * FROM n`,
        ),
      /view token is not one of/,
    ],
    [
      'a file with a trigger',
      () => execute(file, 'CREATE TRIGGER more AFTER INSERT ON app BEGIN DELETE FROM app; END'),
      /trigger more is not one of/,
    ],
    ['a file with another table', () => execute(file, 'CREATE TABLE more (x)'), /table more is not one of/],
    [
      'a file with a generated column',
      () => execute(file, 'ALTER TABLE token ADD COLUMN more TEXT AS (hash)'),
      /table token is not one of/,
    ],
    [
      'a file with a trigger that has the name of a statistic',
      () =>
        execute(
          file,
          `CREATE TRIGGER more AFTER INSERT ON app BEGIN DELETE FROM app; END; PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET name = 'sqlite_stat1' WHERE name = 'more'`,
        ),
      /trigger sqlite_stat1 is not one of|damaged/,
    ],
    [
      'a file without an index',
      () => execute(file, 'DROP INDEX app_by_name'),
      /index app_by_name is missing/,
    ],
    [
      'a file with another index of the same name',
      () => execute(file, 'DROP INDEX app_by_name; CREATE INDEX app_by_name ON app (title)'),
      /index app_by_name is not one of/,
    ],
    [
      'a file with another index',
      () => execute(file, 'CREATE INDEX more ON app (title)'),
      /index more is not one of/,
    ],
    ...INVALID.map(
      ([table, column, value]) =>
        [
          `a file with ${value} as ${table}.${column}`,
          () => execute(file, `UPDATE ${table} SET ${column} = ${value}`),
          new RegExp(
            `of ${table} has an invalid .*${column}|The table ${table} has a number that is too large`,
          ),
        ] as const,
    ),
    [
      'a database of a newer version',
      () => execute(file, "INSERT INTO schema_migration VALUES (9999, 9999, 0, '')"),
      /version 9999/,
    ],
    [
      'a database made by a program with another first migration',
      () => execute(file, "UPDATE schema_migration SET digest = ''"),
      /has a different migration 0001-initial/,
    ],
    ['a row without its parent', () => execute(file, 'DELETE FROM project'), /refers to a missing project/],
  ])('of %s is refused, and changes nothing', async (what, spoil, problem) => {
    await run('backup', file);
    spoil();
    const before = await content();
    const backup = what === 'a named pipe' ? `${file}.missing` : file;
    const { status, stdout, stderr } = await run('restore', backup);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/^paw: .+\n$/);
    expect(stderr).toMatch(problem);
    expect(await content()).toEqual(before);
    const folder = join(dirname(path), 'new');
    const elsewhere = { DATABASE_URL: `sqlite:${join(folder, 'folder', 'paw.db')}` };
    expect(await paw(['restore', backup], elsewhere)).toMatchObject({ status: 1 });
    expect(readdirSync(dirname(path)).filter((name) => /\.restore-|^new$/.test(name))).toEqual([]);
  });

  test('that is killed leaves the old or the new database, and can be repeated', async () => {
    const backedUp = await content();
    await run('backup', file);
    await onDatabase(made.url, (database) => setRows(database, 'account', { title: 'Later' }));
    const later = await content();
    await killDuring('.restore-', 'restore', file);
    expect([backedUp, later]).toContain(await content());
    expect(await run('restore', file)).toMatchObject({ status: 0 });
    expect(await content()).toEqual(backedUp);
  });
});

/** Runs a statement without checking foreign keys. */
function execute(file: string, sql: string): void {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false, defensive: false });
  database.exec(sql);
  database.close();
}
