import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, expect, inject, test } from 'vitest';
import { LATEST_VERSION } from '../../../src/storage/migrations/versions.ts';
import { TABLES } from '../../../src/storage/tables/tables.ts';
import { type AppFields, bothApis, graphqlApi, type HttpResponse, send } from '../../support/both-apis.ts';
import { executeOn, onDatabase, pathOf, textOf } from '../../support/engine.ts';
import {
  type Gateway,
  makeDatabase,
  seedDatabase,
  seedTenant,
  startGateway,
  type Tenant,
  testClock,
  testDatabase,
  testFolder,
  testGateway,
} from '../../support/gateway.ts';
import { newerProgram } from '../../support/newer-program.ts';
import {
  createApp,
  expiredToken,
  keyOf,
  mutate,
  PASSWORD,
  projectTokenOf,
  reasonOf,
  resultOf,
  tokenStatus,
  ULID,
  ulidOf,
} from '../../support/requests.ts';
import { addRow, addWallets, rowsOf, setRow } from '../../support/rows.ts';
import { paw, pawJson, type Result, type Settings, startPaw } from '../../support/run-command.ts';

// More than one batch.
const [WALLETS, TOKENS] = [1100, 550];

const clock = testClock();

/** An account with everything that it can have, which a backup contains beside another account. */
let owner: Tenant;
let app: AppFields;
let projectToken: string;
/** The response to a request with an `Idempotency-Key`. */
let repeatable: HttpResponse;
let sourceUrl: string;
let backup: string;

beforeAll(async () => {
  const made = await makeDatabase();
  sourceUrl = made.url;
  const gateway = await startGateway({ DATABASE_URL: made.url }, clock);
  const api = graphqlApi(() => gateway.url);
  owner = await seedTenant(gateway, { projects: 2, wallets: 2, addresses: 2 });
  await addWallets(gateway.database, owner, WALLETS);
  await seedTenant(gateway, { wallets: 1, addresses: 1 });
  await expiredToken(gateway, owner);
  app = await createApp(api, owner.token);
  projectToken = await projectTokenOf(api, owner.token, app);
  await mutate(gateway.url, owner.token, 'createToken', { title: 'Pipeline' });
  await addTokens(gateway, owner);
  await resultOf(api.updateWallet(owner.token, owner.wallet, { password: PASSWORD }));
  repeatable = await renameWallet(gateway.url);
  await gateway.stop();
  backup = await backUp(made.url);
  return made.remove;
});

/** Adds tokens, of which the first one was made by the last one, by a server whose clock is behind. */
async function addTokens({ database, operator }: Gateway, { account, project }: Tenant): Promise<void> {
  const [first = '', ...ids] = Array.from({ length: TOKENS }, operator.newId);
  const add = (id: string, maker: string | null = null) =>
    addRow(database, 'token', {
      account_id: ulidOf(account),
      id,
      project_id: ulidOf(project),
      maker_token_id: maker,
      hash: hash('sha256', id),
      title: '',
      is_one_project: 0,
      is_read_only: 0,
      expire_time_ms: operator.clock() + 1000,
    });
  await Promise.all(ids.map((id) => add(id)));
  await add(first, ids.at(-1));
}

/** Returns a backup: a file of SQLite, or on PostgreSQL the database itself, as one to which a dump was restored. */
async function backUp(url: string): Promise<string> {
  if (inject('engine') === 'postgres') return url;
  const file = `${pathOf(url)}.backup`;
  await pawJson(['backup', file], { DATABASE_URL: url });
  return file;
}

const restore = (url: string, from = backup, account: string = owner.account): Promise<Result> =>
  paw(['restore', '--account', account, '--with-addresses', from], { DATABASE_URL: url });

function renameWallet(url: string): Promise<HttpResponse> {
  const headers = { 'idempotency-key': 'rename' };
  return send(`${url}/wallet/${owner.wallet}`, 'PATCH', owner.token, { title: 'Renamed' }, headers);
}

/** Returns the rows of all accounts, or of one, as lines. */
function linesOf(url: string, account?: string): Promise<readonly string[]> {
  return onDatabase(url, async (database) => {
    const lines: string[] = [];
    for (const { name, key } of TABLES) {
      const rows = await rowsOf(database, name);
      const own = account ? rows.filter((row) => row[key[0]] === ulidOf(account)) : rows;
      // Each table is tested.
      expect(own).not.toHaveLength(0);
      lines.push(...own.map((row) => `${name} ${JSON.stringify(row)}`));
    }
    return lines.sort();
  });
}

/** Creates a database with another account. */
async function targetDatabase(): Promise<{ readonly url: string; readonly stranger: Tenant }> {
  const { url } = await testDatabase();
  return { url, stranger: await seedDatabase(url, { wallets: 1 }) };
}

const contentOf = (url: string) => onDatabase(url, textOf);

const TEXT =
  'Restored the account with 2 projects, 1 app, 1102 wallets, 2 addresses, 554 tokens and 13 events.\n';

test('an account comes back with each row as in the backup, a check finds no problem, and the rows of others and the backup stay as they are', async () => {
  const { url } = await targetDatabase();
  const before = (await contentOf(url)).split('\n');
  const digest = await digestOfBackup();
  expect(await restore(url)).toEqual({ status: 0, stdout: TEXT, stderr: '' });
  expect(await linesOf(url, owner.account)).toEqual(await linesOf(sourceUrl, owner.account));
  const after = (await contentOf(url)).split('\n');
  expect(after.filter((line) => !line.includes(ulidOf(owner.account)))).toEqual(before);
  expect(await pawJson(['check'], { DATABASE_URL: url })).toMatchObject({ accounts: 2, problemCount: 0 });
  expect(await digestOfBackup()).toBe(digest);
});

test('an account goes from a backup of either engine into a database of either engine', async () => {
  const file = join(testFolder(), 'new.db');
  expect(await restore(`sqlite:${file}`)).toMatchObject({ status: 0, stdout: TEXT });
  const { url } = await targetDatabase();
  const copy = `${file}.backup`;
  await pawJson(['backup', copy], { DATABASE_URL: `sqlite:${file}` });
  expect(await restore(url, copy)).toEqual({ status: 0, stdout: TEXT, stderr: '' });
  expect(await linesOf(url, owner.account)).toEqual(await linesOf(sourceUrl, owner.account));
});

test('addresses that are left come back only if the operator says so, since a wallet may have got them', async () => {
  const { url } = await targetDatabase();
  const words = ['restore', '--account', owner.account, backup];
  const restored = await pawJson(words, { DATABASE_URL: url });
  const left = { account: owner.account, network: 'NETWORK_ETHEREUM', count: 2 };
  expect(restored).toMatchObject({ wallets: 1102, addresses: 0, leftOut: [left] });
  const gateway = await testGateway({ DATABASE_URL: url }, clock);
  const input = { title: 'Till', network: 'NETWORK_ETHEREUM' };
  const { errors } = await mutate(gateway.url, owner.token, 'createWallet', input, 'wallet { address }');
  expect(errors[0].extensions.reason).toBe('NO_ADDRESS_LEFT');
  expect(await pawJson(['check'], { DATABASE_URL: url })).toMatchObject({ problemCount: 0 });
});

test('a restoration that was killed leaves an account that nobody can use, and a repetition completes it', async () => {
  const { url } = await targetDatabase();
  const settings = { DATABASE_URL: url };
  const words = ['restore', '--account', owner.account, '--with-addresses', backup];
  const restoring = startPaw(words, settings);
  const count = () =>
    onDatabase(url, async (database) => (await rowsOf(database, 'wallet', owner.account)).length);
  await expect.poll(count, { interval: 5 }).toBeGreaterThan(0);
  await restoring.stop('SIGKILL');
  const gateway = await testGateway(settings, clock);
  const api = graphqlApi(() => gateway.url);
  expect(await tokenStatus(api, owner.token)).toBe('TOKEN_INVALID');
  expect(await paw(['account', 'resume', owner.account], settings)).toMatchObject({ status: 1 });
  expect((await paw(['check'], settings)).stdout).toContain(
    `The restoration of ${owner.account} is not complete.`,
  );
  expect(await paw(words, settings)).toMatchObject({ status: 0, stdout: TEXT });
  expect(await linesOf(url, owner.account)).toEqual(await linesOf(sourceUrl, owner.account));
  expect(await tokenStatus(api, owner.token)).toBe('ok');
});

test('of two restorations at once one completes', async () => {
  const { url } = await targetDatabase();
  const results = await Promise.all([restore(url), restore(url)]);
  expect(results.map(({ status }) => status).sort()).toEqual([0, 1]);
  const problem = /exists: the table|Another command restores or deletes/;
  expect(results.find(({ status }) => status === 1)?.stderr).toMatch(problem);
  expect(await linesOf(url, owner.account)).toEqual(await linesOf(sourceUrl, owner.account));
  expect(await pawJson(['check'], { DATABASE_URL: url })).toMatchObject({ problemCount: 0 });
});

test('a running server serves the account from the next request on: tokens, keys and repeated requests', async () => {
  const gateway = await testGateway({}, clock);
  const apis = bothApis(() => gateway.url);
  const statuses = async () => {
    const found: string[] = [];
    for (const api of apis) {
      for (const token of [owner.token, projectToken]) found.push(await tokenStatus(api, token));
      found.push(await reasonOf(api.signIn(owner.token, keyOf(app))));
    }
    return [...new Set(found)];
  };
  expect(await statuses()).toEqual(['TOKEN_INVALID']);
  expect(await restore(gateway.databaseUrl)).toMatchObject({ status: 0 });
  expect(await statuses()).toEqual(['ok']);
  const { text, headers } = await renameWallet(gateway.url);
  expect([text, headers.get('idempotency-replayed')]).toEqual([repeatable.text, 'true']);
});

test('the audit events that its deletion has kept stay beside those of the backup', async () => {
  const { url } = await targetDatabase();
  await restore(url);
  const restored = await linesOf(url, owner.account);
  await paw(['account', 'delete', owner.account, '--yes', '--keep-audit'], { DATABASE_URL: url });
  expect(await restore(url)).toEqual({ status: 0, stdout: TEXT, stderr: '' });
  const lines = await linesOf(url, owner.account);
  expect(lines).toEqual(expect.arrayContaining([...restored]));
  const [added, ...others] = lines.filter((line) => !restored.includes(line));
  expect(others).toEqual([]);
  expect(added).toMatch(/^audit_event .*"account\.delete"/);
});

/** Values that no operation writes, of columns of both engines. */
const INVALID = [
  ['account', 'title', "''"],
  ['wallet', 'network', "'NETWORK_MOON'"],
  ['wallet', 'revision', "'../../x'"],
  ['token', 'hash', "'0'"],
  ['audit_event', 'resource', "'wallets/../x'"],
  ['audit_event', 'actor_app_id', "'../../x'"],
  ['audit_event', 'actor_title', "''"],
] as const;

/** Changes a backup, which on SQLite is a file of one rollback journal. */
async function executeOnBackup(from: string, sql: string): Promise<void> {
  if (inject('engine') === 'postgres') return executeOn(from, sql);
  const file = new DatabaseSync(from);
  file.exec(sql);
  file.close();
}

type Case = { readonly from?: string; readonly account?: string; readonly settings?: Settings };

test.each<[string, (url: string, stranger: Tenant) => Promise<Case>, status: 1 | 2, problem: string]>([
  [
    'that exists',
    async (url) => {
      await restore(url);
      return {};
    },
    1,
    '<account> exists: the table account has a row of it. Nothing was changed.',
  ],
  [
    // After most of the rows.
    'of which a row was left',
    async (url) => {
      const texts = { key_hash: 'key', content_hash: '', response: '', expire_time_ms: 0 };
      const [row] = await onDatabase(sourceUrl, (database) =>
        rowsOf(database, 'idempotency_key', owner.account),
      );
      await onDatabase(url, (database) => addRow(database, 'idempotency_key', { ...texts, ...row }));
      return {};
    },
    1,
    '<account> exists: the table idempotency_key has a row of it. Nothing was changed.',
  ],
  [
    'whose wallets were imported into another account',
    async (url, { account, project }) => {
      const file = join(testFolder(), 'export.jsonl');
      const { stdout } = await paw(['account', 'export', owner.account], { DATABASE_URL: sourceUrl });
      const line = stdout.split('\n').find((each) => each.includes(owner.wallets[1] ?? ''));
      writeFileSync(file, String(line).replaceAll(owner.project, project));
      expect(await pawJson(['import', '--account', account, file], { DATABASE_URL: url })).toMatchObject({
        wallets: 1,
      });
      return {};
    },
    1,
    '<wallet> exists in <stranger>. Nothing was changed.',
  ],
  [
    'that the backup does not have',
    async () => ({ account: `accounts/${ULID}` }),
    1,
    `The backup does not have accounts/${ULID}.`,
  ],
  [
    'whose deletion was not complete in the backup',
    async () => {
      const other = await targetDatabase();
      const { account } = other.stranger;
      await onDatabase(other.url, (database) => setRow(database, account, { state: 'DELETING' }));
      return { from: await backUp(other.url), account };
    },
    1,
    'The backup has accounts/\\w+ during its deletion or restoration.',
  ],
  [
    'from a backup of a newer version',
    async () => {
      const { url } = await targetDatabase();
      await newerProgram('ALTER TABLE app ADD COLUMN next INTEGER').run(['migrate'], { DATABASE_URL: url });
      return { from: await backUp(url) };
    },
    1,
    `The .+ has schema version ${LATEST_VERSION + 1}, but this program supports versions up to ${LATEST_VERSION}\\..*`,
  ],
  [
    'from a backup whose migrations had another text',
    async () => {
      const { url } = await targetDatabase();
      const from = await backUp(url);
      await executeOnBackup(from, "UPDATE schema_migration SET digest = ''");
      return { from };
    },
    1,
    'The .+ has a different migration 0001-initial than this program\\. .+',
  ],
  ...INVALID.map(
    ([table, column, value]) =>
      [
        `with ${value} as ${table}.${column} in the backup`,
        async () => {
          const other = await targetDatabase();
          const { account } = other.stranger;
          const from = await backUp(other.url);
          await executeOnBackup(from, `UPDATE ${table} SET ${column} = ${value}`);
          return { from, account };
        },
        1 as const,
        `The backup can't be used\\. The row "\\w+" of ${table} has an invalid ${column}.*`,
      ] as [string, () => Promise<Case>, 1, string],
  ),
  [
    'from a backup whose tokens are a view',
    async () => {
      const { url } = await targetDatabase();
      const from = await backUp(url);
      await executeOnBackup(from, 'ALTER TABLE token RENAME TO other');
      await executeOnBackup(from, 'CREATE VIEW token AS SELECT * FROM other');
      return { from };
    },
    1,
    "(The file .+ is not one of the gateway\\.|The backup can't be used\\. The .+token.+)",
  ],
  [
    'from a database without tables',
    async () => {
      const { url } = await testDatabase();
      if (inject('engine') === 'postgres') return { from: url };
      writeFileSync(pathOf(url), '');
      return { from: pathOf(url) };
    },
    1,
    '(The backup has no tables\\. .+|The file .+ is not a database of this program\\.)',
  ],
  [
    'from an unreachable server',
    async () => ({ from: 'postgres://paw@127.0.0.1:1/paw' }),
    1,
    'The database is unavailable: <file>: .+',
  ],
])('an account %s is refused with one line, and nothing is changed', async (_, make, status, problem) => {
  const { url, stranger } = await targetDatabase();
  const { from = backup, account = owner.account } = await make(url, stranger);
  const before = await contentOf(url);
  const { stderr, ...result } = await restore(url, from, account);
  expect(result).toEqual({ status, stdout: '' });
  const names = { '<account>': owner.account, '<wallet>': owner.wallets[1], '<stranger>': stranger.account };
  const text = problem.replace(/<(account|wallet|stranger)>/g, (name) =>
    String(names[name as keyof typeof names]),
  );
  expect(stderr).toMatch(new RegExp(`^paw: ${text}\n$`));
  expect(await contentOf(url)).toBe(before);
});

test('a backup of an older version, and in production a database without tables, are refused', async () => {
  const { url } = await testDatabase();
  const words = ['restore', '--account', owner.account, backup];
  const missing = await paw(words, { DATABASE_URL: url, NODE_ENV: 'production' });
  expect(missing).toMatchObject({ status: 1, stderr: expect.stringContaining('migrate') });
  const newer = newerProgram('ALTER TABLE app ADD COLUMN next INTEGER');
  await newer.run(['migrate'], { DATABASE_URL: url });
  expect(await newer.run(words, { DATABASE_URL: url })).toEqual({
    status: 1,
    stdout: '',
    stderr: `paw: The backup has schema version ${LATEST_VERSION} of ${LATEST_VERSION + 1}. Run "npm run -s paw -- migrate" with its URL.\n`,
  });
});

/** Returns a digest of a file of SQLite, or of the rows of PostgreSQL. */
async function digestOfBackup(): Promise<string> {
  const content = inject('engine') === 'sqlite' ? readFileSync(backup) : await contentOf(backup);
  return hash('sha256', content);
}
