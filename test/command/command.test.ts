import { beforeAll, describe, expect, test } from 'vitest';
import { withDatabase } from '../../src/commands/with-database.ts';
import { idOf, parseResourceName } from '../../src/model/resource-name.ts';
import { insertApp } from '../../src/storage/apps.ts';
import { type Api, bothApis, postGraphql, send } from '../support/apis.ts';
import { isUntouched } from '../support/engine.ts';
import {
  type Gateway,
  makeDatabase,
  seedTenant,
  startGateway,
  type Tenant,
  type TestDatabase,
} from '../support/gateway.ts';
import { paw } from '../support/paw.ts';

const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const MISSING = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const DAY_MS = 86_400_000;

const nameOf = (collection: string) =>
  expect.stringMatching(new RegExp(`^${collection}/[0-7][0-9A-HJKMNP-TV-Z]{25}$`));
const TOKEN = expect.stringMatching(/^paw_acct_\w+$/);

let gateway: Gateway;
let tenant: Tenant;
let stranger: Tenant;

beforeAll(async () => {
  gateway = await startGateway();
  tenant = await seedTenant(gateway, { projects: 2 });
  stranger = await seedTenant(gateway);
  return gateway.stop;
});

/** Runs a command on the gateway's database. */
function run(...words: string[]) {
  return paw(words, { DATABASE_URL: gateway.databaseUrl });
}

/** Runs a command with `--json` and returns the object, when nothing else was printed. */
async function runJson(...words: string[]) {
  const result = await run(...words, '--json');
  expect(result).toEqual({ status: 0, stdout: expect.stringMatching(/^\{.*\}\n$/), stderr: '' });
  return JSON.parse(result.stdout);
}

async function createApp({ token }: Pick<Tenant, 'token'>, title: string) {
  const { text } = await send(`${gateway.url}/auth/apps`, 'POST', token, { title, active: true });
  return JSON.parse(text);
}

describe('with --json', () => {
  test('account create prints the account with its first project', async () => {
    expect(await runJson('account', 'create', '--title', 'Atlas')).toStrictEqual({
      name: nameOf('accounts'),
      title: 'Atlas',
      defaultProject: nameOf('projects'),
    });
  });

  test('project create prints the project of the specification, with a cover that the gateway serves', async () => {
    const title = '🧭'.repeat(200);
    const project = await runJson('project', 'create', '--account', tenant.account, '--title', title);
    expect(project).toStrictEqual({
      name: nameOf('projects'),
      title,
      description: '',
      imageCoverUrl: `http://127.0.0.1:4000/covers/${project.name.slice('projects/'.length)}.svg`,
      imageCoverCid: expect.stringMatching(/^bafkrei[a-z2-7]{52}$/),
    });
    const cover = await send(gateway.url + new URL(project.imageCoverUrl).pathname, 'GET');
    expect([cover.status, cover.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
  });

  test.each(['NETWORK_ETHEREUM_RINKEBY', 'NETWORK_ETHEREUM_RINKERBY'])(
    'wallet create takes %s and prints the wallet of the specification',
    async (network) => {
      const words = ['--project', ...tenant.projects.slice(1), '--title', 'Cold', '--network', network];
      const more = ['--address', ADDRESS.toLowerCase(), '--description', 'In a safe'];
      expect(await runJson('wallet', 'create', ...words, ...more)).toStrictEqual({
        name: nameOf('wallets'),
        title: 'Cold',
        description: 'In a safe',
        project: tenant.projects[1],
        network: 'NETWORK_ETHEREUM_RINKEBY',
        address: ADDRESS,
        password: '',
      });
    },
  );

  test.each([
    ['90 days if no time is given', [], 90 * DAY_MS],
    ['as long as is said', ['--expires-in', '12h'], DAY_MS / 2],
  ])('token create prints a token that lives %s', async (_, words, lifeMs) => {
    const before = Date.now();
    const token = await runJson('token', 'create', '--account', tenant.account, ...words);
    const after = Date.now();
    expect(token).toStrictEqual({ accessToken: TOKEN, expireTime: expect.any(String) });
    const expireTime = new Date(token.expireTime);
    expect(expireTime.toISOString()).toBe(token.expireTime);
    expect(expireTime.getTime()).toBeGreaterThanOrEqual(before + lifeMs);
    expect(expireTime.getTime()).toBeLessThanOrEqual(after + lifeMs);
  });

  test('token revoke says so, and the token is refused from then on', async () => {
    const { token } = await seedTenant(gateway);
    const list = async () => (await send(`${gateway.url}/project/projects`, 'GET', token)).status;
    expect(await list()).toBe(200);
    expect(await runJson('token', 'revoke', token)).toStrictEqual({ revoked: true });
    expect(await list()).toBe(401);
  });

  test('app list prints the apps of the account alone, without their keys', async () => {
    const owner = await seedTenant(gateway);
    const list = () => runJson('app', 'list', '--account', owner.account.toLowerCase());
    expect(await list()).toStrictEqual({ apps: [] });
    const apps = [await createApp(owner, 'Till'), await createApp(owner, 'Back office')];
    await createApp(stranger, 'Elsewhere');
    expect(apps[0].privateKey).toMatch(/^paw_key_/);
    expect(await list()).toStrictEqual({ apps: apps.map((app) => ({ ...app, privateKey: '' })) });
  });

  test('app list prints all apps of an account that has more than fit in one batch', async () => {
    const owner = await seedTenant(gateway);
    const ids = Array.from({ length: 1001 }, gateway.admin.newId);
    const [account, project] = [owner.account, ...owner.projects].map((name) =>
      parseResourceName(['accounts', 'projects'], name),
    );
    if (account === undefined || project === undefined) throw new Error('The tenant has no names.');
    const row = { account_id: idOf(account), project_id: idOf(project), private_key_hash: '' } as const;
    await gateway.database.transaction(async (transaction) => {
      for (const id of ids) {
        await insertApp(transaction, { ...row, id, title: 'Till', active: 1, create_time_ms: 0 });
      }
    });
    const { apps } = await runJson('app', 'list', '--account', owner.account);
    expect(apps.map(({ name }: { name: string }) => name)).toEqual(ids.map((id) => `apps/${id}`));
  });

  test('app deactivate and app activate print the app as it now is', async () => {
    const { name, title } = await createApp(tenant, 'Switch');
    for (const [word, active] of [
      ['deactivate', false],
      ['activate', true],
    ] as const) {
      expect(await runJson('app', word, name)).toStrictEqual({ name, title, privateKey: '', active });
    }
  });
});

test('without --json each command prints text that names what it did', async () => {
  const { account, projects, token } = tenant;
  const app = await createApp(tenant, 'Kiosk');
  const wallet = ['--project', ...projects.slice(0, 1), '--network', 'NETWORK_POLYGON', '--address', ADDRESS];
  const expected: readonly [words: string[], text: RegExp][] = [
    [['account', 'create', '--title', 'Atlas'], /accounts\/\w{26}.+projects\/\w{26}/],
    [['project', 'create', '--account', account, '--title', 'Quarry'], /projects\/\w{26}/],
    [['wallet', 'create', ...wallet, '--title', 'Cold'], /wallets\/\w{26}/],
    [['token', 'create', '--account', account], /^paw_acct_\w+\n.+\d{4}-\d\d-\d\dT/],
    [['app', 'list', '--account', account], new RegExp(`^${app.name} +active +Kiosk$`, 'm')],
    [['app', 'deactivate', app.name], new RegExp(`${app.name}.+ inactive`)],
    [['app', 'activate', app.name], new RegExp(`${app.name}.+ active`)],
    [['token', 'revoke', token], /revoked/i],
  ];
  const results = await Promise.all(expected.slice(0, 5).map(([words]) => run(...words)));
  for (const [words] of expected.slice(5)) results.push(await run(...words));
  for (const [index, [words, text]] of expected.entries()) {
    const stdout = expect.stringMatching(text);
    expect(results[index], words.join(' ')).toEqual({ status: 0, stdout, stderr: '' });
    expect(results[index]?.stdout).not.toMatch(/^[{[]/);
  }
});

describe('help', () => {
  const COMMANDS: readonly (readonly [name: string, mentions: readonly string[]])[] = [
    ['serve', []],
    ['demo', []],
    ['account create', ['--title']],
    ['project create', ['--account', '--title', '--description']],
    ['wallet create', ['--project', '--title', '--network', '--address', '--description']],
    ['token create', ['--account', '--project', '--expires-in', '90d']],
    ['token revoke', ['<token>']],
    ['app list', ['--account']],
    ['app activate', ['<name>']],
    ['app deactivate', ['<name>']],
  ];

  test.concurrent.each(COMMANDS)('on %s names what it takes', async (name, mentions) => {
    const { status, stdout, stderr } = await paw([...name.split(' '), '--help'], {});
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    for (const mention of [`paw ${name}`, '--json', ...mentions]) expect(stdout).toContain(mention);
    expect(stdout.match(/--[a-z-]+/g)?.filter((option) => ![...mentions, '--json'].includes(option))).toEqual(
      [],
    );
  });

  test.concurrent.each([[[]], [['--help']]])(
    'on paw as a whole, by %j, names every command',
    async (words) => {
      const { status, stdout, stderr } = await paw(words, {});
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      for (const [name] of COMMANDS) expect(stdout).toContain(`\n  ${name} `);
    },
  );
});

describe('a command that is called wrongly', () => {
  let untouched: TestDatabase;

  beforeAll(async () => {
    untouched = await makeDatabase();
    return untouched.remove;
  });

  test.concurrent.each([
    ['no known command', ['launch'], /no such command/],
    ['half a command', ['account'], /no such command/],
    ['an unknown option', ['account', 'create', '--title', 'x', '--colour', 'red'], /--colour/],
    [
      'one required option missing',
      ['wallet', 'create', '--project', 'p', '--title', 't', '--network', 'n'],
      /--address/,
    ],
    ['an option without its value', ['account', 'create', '--title'], /--title/],
    ['no operand', ['token', 'revoke'], /<token>/],
    ['an operand too many', ['app', 'activate', `apps/${MISSING}`, `apps/${MISSING}`], /too many/],
    ['an operand where none belongs', ['account', 'create', 'Atlas', '--title', 'x'], /too many/],
  ])('with %s says so in one line, with status 2, and opens no database', async (_, words, problem) => {
    const { status, stdout, stderr } = await paw(words, { DATABASE_URL: untouched.url });
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^paw: .+\n$/);
    expect(stderr).toMatch(problem);
    expect(await isUntouched(untouched.url)).toBe(true);
  });
});

describe('a command that is given a bad value', () => {
  const COUNT = `SELECT (SELECT COUNT(*) FROM account) AS accounts, (SELECT COUNT(*) FROM project) AS projects,
    (SELECT COUNT(*) FROM wallet) AS wallets, (SELECT COUNT(*) FROM app) AS apps, (SELECT COUNT(*) FROM token) AS tokens`;
  let before: readonly object[];

  beforeAll(async () => {
    before = await gateway.database.query(COUNT);
  });

  const wallet = (project: string | undefined, address: string, more = {}) =>
    Object.entries({
      project,
      title: 'Cold',
      network: 'NETWORK_ETHEREUM',
      address,
      ...more,
    }).map(([name, value]) => `--${name}=${value}`);

  test.concurrent.each<[string, string[], () => string[]]>([
    ['a title too long', ['title'], () => ['account', 'create', '--title', '🧭'.repeat(201)]],
    [
      'a malformed account and texts too long',
      ['account', 'title', 'description'],
      () => [
        ...['project', 'create', '--account', 'Atlas', '--title', 'x'.repeat(201)],
        ...['--description', 'x'.repeat(2001)],
      ],
    ],
    [
      'an unknown account for a project',
      ['account'],
      () => ['project', 'create', '--account', `accounts/${MISSING}`, '--title', 'Quarry'],
    ],
    [
      'nothing right for a wallet',
      ['project', 'title', 'description', 'network', 'address'],
      () => [
        'wallet',
        'create',
        ...wallet(`accounts/${MISSING}`, '0x12', {
          title: '',
          network: 'NETWORK_MOON',
          description: 'x'.repeat(2001),
        }),
      ],
    ],
    [
      'an unknown project',
      ['project'],
      () => ['wallet', 'create', ...wallet(`projects/${MISSING}`, ADDRESS)],
    ],
    [
      'an address whose checksum is wrong',
      ['address'],
      () => ['wallet', 'create', ...wallet(tenant.projects[0], ADDRESS.replace('Aeb', 'aeb'))],
    ],
    [
      'an unknown account for a token',
      ['account'],
      () => ['token', 'create', '--account', `accounts/${MISSING}`],
    ],
    [
      'a project of another account',
      ['project'],
      () => ['token', 'create', '--account', tenant.account, '--project', String(stranger.projects[0])],
    ],
    [
      'a time that is not one',
      ['--expires-in'],
      () => ['token', 'create', '--account', tenant.account, '--expires-in', 'soon'],
    ],
    ['a token that was never made', ['token'], () => ['token', 'revoke', `${stranger.token.slice(0, -1)}g`]],
    ['an unknown account to list', ['account'], () => ['app', 'list', '--account', `accounts/${MISSING}`]],
    ['an unknown app', ['name'], () => ['app', 'deactivate', `apps/${MISSING}`]],
  ])('%s, names %j in one line, with status 1, and adds nothing', async (_, fields, words) => {
    const { status, stdout, stderr } = await run(...words(), '--json');
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/^paw: .+\n$/);
    for (const field of fields) expect(stderr).toMatch(new RegExp(`[:.] ${field}(:| must) `));
    expect(stderr.match(/\bmust\b/gi)).toHaveLength(fields.length);
    expect(await gateway.database.query(COUNT)).toEqual(before);
  });
});

describe('what the commands have made', () => {
  const apis = bothApis(() => gateway.url);
  let made: { account: string; first: string; second: string; wallet: string; token: string };

  beforeAll(async () => {
    const { name: account, defaultProject: first } = await runJson('account', 'create', '--title', 'Atlas');
    const { name: second } = await runJson('project', 'create', '--account', account, '--title', 'Quarry');
    const wallet = ['--title', 'Cold', '--network', 'NETWORK_ETHEREUM', '--address', ADDRESS];
    const { name } = await runJson('wallet', 'create', '--project', second, ...wallet);
    const { accessToken: token } = await runJson('token', 'create', '--account', account);
    made = { account, first, second, wallet: name, token };
  });

  test.each(apis)('serves $name: its projects are listed and its wallet is updated', async (api: Api) => {
    const { value: page } = await api.listProjects(made.token);
    expect(page?.projects.map(({ name, title }) => [name, title])).toEqual([
      [made.first, 'Atlas'],
      [made.second, 'Quarry'],
    ]);
    const { value: wallet } = await api.updateWallet(made.token, made.wallet, { title: api.name });
    expect(wallet).toStrictEqual({
      name: made.wallet,
      title: api.name,
      description: '',
      project: made.second,
      network: 'NETWORK_ETHEREUM',
      address: ADDRESS,
      password: '',
    });
  });

  test('puts apps into the first project of the account, or into that which the token was made for', async () => {
    const words = ['token', 'create', '--account', made.account, '--project', made.second];
    const { accessToken } = await runJson(...words);
    const mutation =
      'mutation { createApp(input: { title: "Till", active: true }) { app { project { name } } } }';
    const projects = [made.token, accessToken].map(async (token) => {
      const { text } = await postGraphql(gateway.url, token, mutation);
      return JSON.parse(text).data.createApp.app.project.name;
    });
    expect(await Promise.all(projects)).toEqual([made.first, made.second]);
  });

  test('ends at once on both APIs when a command ends it', async () => {
    const { name, privateKey } = await createApp(made, 'Till');
    const signIn = () => Promise.all(apis.map((api) => api.signIn(made.token, { name, privateKey })));
    const accessTokens = async () => (await signIn()).map(({ value }) => String(value?.accessToken));
    const answers = (tokens: readonly string[]) =>
      Promise.all(
        apis.map(async (api, index) => (await api.listProjects(tokens[index])).error?.reason ?? 'OK'),
      );
    const tokens = await accessTokens();
    expect(await answers(tokens)).toEqual(['OK', 'OK']);

    await runJson('app', 'deactivate', name);
    expect(await answers(tokens)).toEqual(['TOKEN_INVALID', 'TOKEN_INVALID']);
    expect((await signIn()).map(({ error }) => error?.reason)).toEqual(['APP_INACTIVE', 'APP_INACTIVE']);

    await runJson('app', 'activate', name);
    expect(await answers(tokens)).toEqual(['TOKEN_INVALID', 'TOKEN_INVALID']);

    const [revoked = '', kept = ''] = await accessTokens();
    await runJson('token', 'revoke', revoked);
    expect(await answers([revoked, revoked])).toEqual(['TOKEN_INVALID', 'TOKEN_INVALID']);
    expect(await answers([kept, kept])).toEqual(['OK', 'OK']);
  });
});

test.each([
  ['127.0.0.1', 'http://127.0.0.1:4000'],
  ['0.0.0.0', 'http://localhost:4000'],
  ['::', 'http://localhost:4000'],
  ['::1', 'http://[::1]:4000'],
])('a command gives the URL that a server on the host %s gives itself', async (host, url) => {
  const settings = { HOST: host, DATABASE_URL: gateway.databaseUrl };
  expect(await withDatabase(settings, async ({ publicUrl }) => publicUrl())).toBe(url);
});
