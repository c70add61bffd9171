import { beforeAll, expect, test } from 'vitest';
import { type AppFields, restApi } from '../../support/both-apis.ts';
import { seedTenant, type Tenant, useGateway } from '../../support/gateway.ts';
import { createAccountToken, createApp, credentialParts, signIn, ulidOf } from '../../support/requests.ts';
import { rowsOf, setRow } from '../../support/rows.ts';
import { commandsOn, logLines } from '../../support/run-command.ts';

const gateway = useGateway();
let tenant: Tenant;
let stranger: Tenant;
let apps: readonly AppFields[];
/** The ids of the tokens of the tenant, in the order of their issue. */
let tokenIds: readonly string[];
/** The ids of the events of the tenant, the newest first. */
let eventIds: readonly string[];

beforeAll(async () => {
  const api = restApi(() => gateway.url);
  tenant = await seedTenant(gateway, { projects: 12, wallets: 3 });
  stranger = await seedTenant(gateway, { projects: 2, wallets: 2 });
  await createApp(api, stranger.token);
  const app = await createApp(api, tenant.token, { title: 'One' });
  apps = [app];
  for (const title of ['Two', 'Three']) apps = [...apps, await createApp(api, tenant.token, { title })];
  // The ids of two generators sort by time only if the time differs.
  gateway.clock.advance(1000);
  const access = [await signIn(api, tenant.token, app), await signIn(api, tenant.token, app)];
  const tokens = [tenant.token, ...access.map(({ accessToken }) => accessToken)];
  tokenIds = tokens.map((token) => credentialParts(token).id);
  const past = { ...gateway.operator, clock: () => gateway.clock() - 7_200_000 };
  await createAccountToken(past, tenant, 3600);
  const events = await rowsOf(gateway.database, 'audit_event', tenant.account);
  eventIds = events.map(({ id }) => String(id)).toReversed();
});

const { run, runJson } = commandsOn(() => gateway.databaseUrl);

test.each<[plural: string, words: () => string[], key: 'id' | 'name', values: () => readonly string[]]>([
  ['accounts', () => ['account', 'list'], 'name', () => [tenant.account, stranger.account]],
  ['projects', () => ['project', 'list', '--account', tenant.account], 'name', () => tenant.projects],
  ['wallets', () => ['wallet', 'list', '--project', tenant.project], 'name', () => tenant.wallets],
  ['apps', () => ['app', 'list', '--account', tenant.account], 'name', () => apps.map(({ name }) => name)],
  ['tokens', () => ['token', 'list', '--account', tenant.account], 'id', () => tokenIds],
  ['events', () => ['audit', 'list', '--account', tenant.account], 'id', () => eventIds],
])(
  'each of the %s of a parent is listed once, in order, by pages and by --all',
  async (plural, words, key, values) => {
    const valuesIn = (items: readonly Record<string, string>[]) => items.map((item) => item[key]);
    const found: unknown[] = [];
    let pageToken = '';
    do {
      const page = ['--page-size', '2', ...(pageToken ? ['--page-token', pageToken] : [])];
      const { [plural]: items, nextPageToken, ...rest } = await runJson(...words(), ...page);
      expect(rest).toEqual({});
      expect(items).toHaveLength(Math.min(2, values().length - found.length));
      expect(items).not.toEqual([]);
      found.push(...valuesIn(items));
      pageToken = nextPageToken;
    } while (pageToken !== '');
    expect(found).toEqual(values());

    for (const more of [[], ['--page-size', '2']]) {
      const { [plural]: items, ...rest } = await runJson(...words(), '--all', ...more);
      expect(valuesIn(items)).toEqual(values());
      expect(rest).toEqual({ nextPageToken: '' });
      const { stdout, stderr } = await run(...words(), '--all', ...more);
      expect(stderr).toBe('');
      const [, ...first] = stdout.match(/^\S+/gm) ?? [];
      // The column with the time of an event comes first.
      if (plural === 'events') expect(first).toHaveLength(values().length);
      else expect(first).toEqual(values());
    }
  },
);

test('--all --json prints nothing if a later page fails', async () => {
  // Later than the last time that JavaScript has.
  await setRow(gateway.database, stranger.account, { create_time_ms: 8.64e15 + 1 });
  const { status, stdout, stderr } = await run('account', 'list', '--all', '--page-size', '1', '--json');
  await setRow(gateway.database, stranger.account, { create_time_ms: gateway.clock() });
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(JSON.parse(stderr).error.details[0].reason).toBe('COMMAND_FAILED');
});

test('--all begins after the page token, and can be empty', async () => {
  const words = ['project', 'list', '--account', tenant.account, '--all'];
  const { nextPageToken } = await runJson(...words.slice(0, -1));
  const { projects } = await runJson(...words, '--page-token', nextPageToken);
  expect(projects.map(({ name }: { name: string }) => name)).toEqual(tenant.projects.slice(10));
  const none = ['wallet', 'list', '--project', stranger.projects[1] ?? '', '--all'];
  expect(await runJson(...none)).toEqual({ wallets: [], nextPageToken: '' });
  expect(await run(...none)).toEqual({ status: 0, stdout: 'No wallets.\n', stderr: '' });
});

test('--json prints accounts, apps and tokens without their secrets', async () => {
  const { account, projects } = tenant;
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  expect((await runJson('account', 'list', '--page-size', '1')).accounts).toStrictEqual([
    { name: account, title: 'Tenant', defaultProject: projects[0], state: 'ACTIVE', createTime: time },
  ]);
  const listed = await runJson('app', 'list', '--account', account);
  const keys = [{ id: expect.stringMatching(/^\w{26}$/), createTime: time, expireTime: '' }];
  expect(listed.apps).toStrictEqual(
    apps.map((app, index) => ({ ...app, privateKey: '', lastSignInTime: index === 0 ? time : '', keys })),
  );
  const { tokens } = await runJson('token', 'list', '--account', account, '--page-size', '2');
  const [project] = projects;
  const common = {
    account,
    project,
    maker: '',
    title: '',
    readOnly: false,
    createTime: time,
    expireTime: time,
  };
  expect(tokens).toStrictEqual([
    {
      ...common,
      id: tokenIds[0],
      level: 'account',
      onlyProject: false,
      app: '',
      appTitle: '',
      lastUseTime: time,
    },
    {
      ...{ ...common, id: tokenIds[1], level: 'project', onlyProject: true, lastUseTime: '' },
      ...{ app: apps[0]?.name, appTitle: 'One' },
    },
  ]);
});

test('--ending lists the account tokens that end within a time, of an account or of all, by pages', async () => {
  const [owner, other] = [await seedTenant(gateway), await seedTenant(gateway)];
  const issued = async (days: number, { account }: Tenant) =>
    (await createAccountToken(gateway.operator, { account }, days * 86_400)).id;
  const api = restApi(() => gateway.url);
  const ids = [await issued(6, owner), await issued(13, owner)];
  await issued(15, owner);
  await signIn(api, owner.token, await createApp(api, owner.token));
  const ofOther = await issued(6, other);
  const ending = async (...words: string[]) => {
    const { tokens } = await runJson('token', 'list', '--ending', '14d', ...words);
    return tokens.map(({ id }: { id: string }) => id);
  };
  const own = ['--account', owner.account];
  expect(await ending(...own)).toEqual(ids);
  expect(await ending(...own, '--all', '--page-size', '1')).toEqual(ids);
  const { nextPageToken } = await runJson('token', 'list', ...own, '--ending', '14d', '--page-size', '1');
  expect(await ending(...own, '--page-token', nextPageToken)).toEqual(ids.slice(1));
  expect((await ending('--all')).slice(-3).toSorted()).toEqual([...ids, ofOther].toSorted());
  const all = (await runJson('token', 'list', '--all')).tokens;
  const accounts = new Set(all.map(({ account }: { account: string }) => account));
  expect(accounts).toEqual(new Set([tenant, stranger, owner, other].map(({ account }) => account)));
});

test('without --json a list is a table, and the token of the next page is on standard error', async () => {
  const [one = '', two = ''] = apps.map(({ name }) => name);
  await setRow(gateway.database, one, { active: 0 });
  const { stdout, stderr } = await run('app', 'list', '--account', tenant.account, '--page-size', '2');
  await setRow(gateway.database, one, { active: 1 });
  const lines = [
    'NAME {29}TITLE  STATE     LAST SIGN-IN',
    `${one}  One    inactive  \\d{4}\\S+Z`,
    `${two}  Two    active    never`,
  ];
  expect(stdout).toMatch(new RegExp(`^${lines.join('\n')}\n$`));
  expect(stderr).toMatch(/^Next page: --page-token [\w-]+\n$/);
});

test('a list fits 100 columns, in which a title that is longer is cut, and is whole with --wide', async () => {
  const { account, wallet } = tenant;
  const title = `${'漢字🐾'.repeat(20)}${'e\u0301'.repeat(70)}`;
  const words = ['wallet', 'list', '--project', tenant.project];
  await run('wallet', 'update', wallet, '--title', title, '--network', 'NETWORK_ETHEREUM_RINKEBY');
  await run('wallet', 'update', wallet, '--reference', 'till:0001');
  const { stdout } = await run(...words);
  // 12 characters of two columns each, and the mark.
  expect(stdout).toContain(`${wallet}  ${'漢字🐾'.repeat(4)}…  NETWORK_ETHEREUM_RINKEBY  0x0000…0001\n`);
  const wide = await run(...words, '--wide');
  const address = `0x${'1'.padStart(40, '0')}`;
  expect(wide.stdout).toContain(`${title}  NETWORK_ETHEREUM_RINKEBY  ${address}  till:0001  No. 1\n`);
  await run('wallet', 'update', wallet, '--title', 'Wallet 1', '--network', 'NETWORK_ETHEREUM');
  for (const list of [
    ['account', 'list'],
    ['token', 'list', '--account', account],
    ['audit', 'list'],
  ]) {
    const narrow = (await run(...list)).stdout.split('\n');
    expect(narrow.filter((line) => line.length > 100)).toEqual([]);
    const [header = ''] = (await run(...list, '--wide')).stdout.split('\n');
    expect(header.length).toBeGreaterThan(narrow[0]?.length ?? 0);
  }
});

test('the wallets that are archived are a list of their own', async () => {
  const { wallet, wallets } = tenant;
  const namesIn = async (...more: string[]) => {
    const page = await runJson('wallet', 'list', '--project', tenant.project, ...more);
    return page.wallets.map(({ name }: { name: string }) => name);
  };
  await run('wallet', 'archive', wallet);
  expect(await namesIn()).toEqual(wallets.slice(1));
  expect(await namesIn('--archived')).toEqual([wallet]);
  await run('wallet', 'unarchive', wallet);
  expect([await namesIn(), await namesIn('--archived')]).toEqual([wallets, []]);
});

test('a resource is named by its ULID alone where its kind is known', async () => {
  const { wallet, project } = tenant;
  const { wallets } = await runJson('wallet', 'list', '--project', ulidOf(project).toLowerCase());
  expect(wallets).toHaveLength(3);
  const { tokens } = await runJson('token', 'list', '--account', ulidOf(tenant.account));
  expect(tokens).toHaveLength(3);
  const updated = await run('wallet', 'update', ulidOf(wallet), '--project', ulidOf(project));
  expect(updated).toEqual({ status: 0, stdout: `Updated ${wallet}.\n`, stderr: '' });
});

test('no output has a character that a terminal executes, or that reorders the text around it', async () => {
  const { account, project } = tenant;
  const title = 'T\x1b[2J\x7f\x9b\u202a\u202e\u2066\u2069';
  const list = ['project', 'list', '--account', account];
  for (const words of [
    ['project', 'update', project, '--title', title],
    list,
    ['account', 'export', account],
  ]) {
    const { stdout } = await run(...words, '--json');
    expect(stdout).not.toMatch(/(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
    expect(JSON.stringify(logLines(stdout))).toContain(JSON.stringify(title));
  }
  const { stdout } = await run(...list);
  expect(stdout).toMatch(`${project}  T\u{fffd}[2J${'\u{fffd}'.repeat(6)}\n`);
});
