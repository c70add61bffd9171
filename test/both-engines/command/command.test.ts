import { beforeAll, describe, expect, test } from 'vitest';
import { withDatabase } from '../../../src/commands/with-database.ts';
import { createApp, graphqlBody, ULID } from '../../support/actors.ts';
import { type Api, bothApis, restApi, send } from '../../support/apis.ts';
import { type Gateway, seedTenant, startGateway, type Tenant } from '../../support/gateway.ts';
import { commandsOn, pawProcess } from '../../support/paw.ts';

const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

const nameOf = (collection: string) =>
  expect.stringMatching(new RegExp(`^${collection}/[0-7][0-9A-HJKMNP-TV-Z]{25}$`));

let gateway: Gateway;
let tenant: Tenant;
let stranger: Tenant;

const rest = restApi(() => gateway.url);

beforeAll(async () => {
  gateway = await startGateway();
  tenant = await seedTenant(gateway, { projects: 2 });
  stranger = await seedTenant(gateway);
  return gateway.stop;
});

const { run, runJson } = commandsOn(() => gateway.databaseUrl);

describe('a process of its own', () => {
  const runProcess = (...words: string[]) => pawProcess(words, { DATABASE_URL: gateway.databaseUrl });

  test('ends with status 0 if the command succeeds', async () => {
    const { stdout, ...result } = await runProcess('account', 'create', '--title', 'Atlas', '--json');
    expect(result).toEqual({ status: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ name: nameOf('accounts'), title: 'Atlas' });
  });

  test.each([
    [1, ['account', 'create', '--title', '']],
    [2, ['account', 'create']],
  ])('ends with status %i and one line if the command is %j', async (status, words) => {
    const stderr = expect.stringMatching(/^paw: .+\n$/);
    expect(await runProcess(...words)).toEqual({ status, stdout: '', stderr });
  });
});

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
      expect(await runJson('wallet', 'create', ...words, ...more)).toMatchObject({
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

  test('app deactivate and app activate print the changed app', async () => {
    const { name, title } = await createApp(rest, tenant.token);
    for (const [word, active] of [
      ['deactivate', false],
      ['activate', true],
    ] as const) {
      expect(await runJson('app', word, name)).toStrictEqual({ name, title, privateKey: '', active });
    }
  });
});

test('without --json each command prints text that names the result', async () => {
  const { account, projects } = tenant;
  const app = await createApp(rest, tenant.token, { title: 'Kiosk' });
  const wallet = ['--project', ...projects.slice(0, 1), '--network', 'NETWORK_POLYGON', '--address', ADDRESS];
  const expected: readonly [words: string[], text: RegExp][] = [
    [['account', 'create', '--title', 'Atlas'], /accounts\/\w{26}.+projects\/\w{26}/],
    [['project', 'create', '--account', account, '--title', 'Quarry'], /projects\/\w{26}/],
    [['wallet', 'create', ...wallet, '--title', 'Cold'], /wallets\/\w{26}/],
    [['token', 'create', '--account', account], /^paw_acct_\w+\n.+\d{4}-\d\d-\d\dT/],
    [['app', 'list', '--account', account], new RegExp(`^${app.name} +active +Kiosk$`, 'm')],
    [['app', 'deactivate', app.name], new RegExp(`${app.name}.+ inactive`)],
    [['app', 'activate', app.name], new RegExp(`${app.name}.+ active`)],
  ];
  const results = await Promise.all(expected.slice(0, 5).map(([words]) => run(...words)));
  for (const [words] of expected.slice(5)) results.push(await run(...words));
  for (const [index, [words, text]] of expected.entries()) {
    const stdout = expect.stringMatching(text);
    expect(results[index], words.join(' ')).toEqual({ status: 0, stdout, stderr: '' });
    expect(results[index]?.stdout).not.toMatch(/^[{[]/);
  }
});

describe('a command with an invalid value', () => {
  const COUNT = `SELECT (SELECT COUNT(*) FROM account) AS accounts, (SELECT COUNT(*) FROM project) AS projects,
    (SELECT COUNT(*) FROM wallet) AS wallets, (SELECT COUNT(*) FROM app) AS apps, (SELECT COUNT(*) FROM token) AS tokens`;
  let before: readonly object[];

  beforeAll(async () => {
    before = await gateway.database.read(COUNT);
  });

  const wallet = (project: string | undefined, address: string, more = {}) =>
    Object.entries({
      project,
      title: 'Cold',
      network: 'NETWORK_ETHEREUM',
      address,
      ...more,
    }).map(([name, value]) => `--${name}=${value}`);

  test.each<[string, string[], () => string[]]>([
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
      () => ['project', 'create', '--account', `accounts/${ULID}`, '--title', 'Quarry'],
    ],
    [
      'a wallet without any valid field',
      ['project', 'title', 'description', 'network', 'address'],
      () => [
        'wallet',
        'create',
        ...wallet(`accounts/${ULID}`, '0x12', {
          title: '',
          network: 'NETWORK_MOON',
          description: 'x'.repeat(2001),
        }),
      ],
    ],
    ['an unknown project', ['project'], () => ['wallet', 'create', ...wallet(`projects/${ULID}`, ADDRESS)]],
    [
      'an address whose checksum is wrong',
      ['address'],
      () => ['wallet', 'create', ...wallet(tenant.projects[0], ADDRESS.replace('Aeb', 'aeb'))],
    ],
    [
      'an unknown account for a token',
      ['account'],
      () => ['token', 'create', '--account', `accounts/${ULID}`],
    ],
    [
      'a project of another account',
      ['project'],
      () => ['token', 'create', '--account', tenant.account, '--project', String(stranger.projects[0])],
    ],
    [
      'the only project of another account',
      ['only-project'],
      () => ['token', 'create', '--account', tenant.account, '--only-project', String(stranger.projects[0])],
    ],
    [
      'a default project beside the only project',
      ['only-project'],
      () => ['token', 'create', '--account', tenant.account, ...ofProject(tenant.projects[0])],
    ],
    [
      'a title that is too long',
      ['title'],
      () => ['token', 'create', '--account', tenant.account, '--title', 'x'.repeat(201)],
    ],
    [
      'a malformed duration',
      ['--expires-in'],
      () => ['token', 'create', '--account', tenant.account, '--expires-in', 'soon'],
    ],
    ['no token on standard input', ['token'], () => ['token', 'revoke']],
    ['an unknown account to list', ['account'], () => ['app', 'list', '--account', `accounts/${ULID}`]],
    ['an unknown app', ['name'], () => ['app', 'deactivate', `apps/${ULID}`]],
  ])('%s, names %j in one line, ends with status 1, and adds nothing', async (_, fields, words) => {
    const { status, stdout, stderr } = await run(...words());
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/^paw: .+\n$/);
    for (const field of fields) expect(stderr).toMatch(new RegExp(`[:.] ${field}(:| must) `));
    expect(stderr.match(/\bmust\b/gi)).toHaveLength(fields.length);

    const asJson = await run(...words(), '--json');
    expect(asJson).toMatchObject({ status: 1, stdout: '' });
    const message = stderr.slice('paw: '.length, -1);
    expect(JSON.parse(asJson.stderr)).toMatchObject({
      error: { code: 400, status: 'INVALID_ARGUMENT', message },
    });
    expect(await gateway.database.read(COUNT)).toEqual(before);
  });
});

describe('the resources that the commands create', () => {
  let made: { account: string; first: string; second: string; wallet: string; token: string };

  beforeAll(async () => {
    const { name: account, defaultProject: first } = await runJson('account', 'create', '--title', 'Atlas');
    const { name: second } = await runJson('project', 'create', '--account', account, '--title', 'Quarry');
    const wallet = ['--title', 'Cold', '--network', 'NETWORK_ETHEREUM', '--address', ADDRESS];
    const { name } = await runJson('wallet', 'create', '--project', second, ...wallet);
    const { accessToken: token } = await runJson('token', 'create', '--account', account);
    made = { account, first, second, wallet: name, token };
  });

  test.each(bothApis(() => gateway.url))(
    'are served by $name: projects are listed and a wallet is updated',
    async (api: Api) => {
      const { value: page } = await api.listProjects(made.token);
      expect(page?.projects.map(({ name, title }) => [name, title])).toEqual([
        [made.first, 'Atlas'],
        [made.second, 'Quarry'],
      ]);
      const { value: wallet } = await api.updateWallet(made.token, made.wallet, { title: api.name });
      expect(wallet).toMatchObject({
        name: made.wallet,
        title: api.name,
        description: '',
        project: made.second,
        network: 'NETWORK_ETHEREUM',
        address: ADDRESS,
        password: '',
      });
    },
  );

  test('include an account token for a project, which new apps then belong to', async () => {
    const { accessToken } = await runJson(
      ...['token', 'create', '--account', made.account, '--project', made.second],
    );
    const query = 'query ($id: ID!) { node(id: $id) { ... on App { project { name } } } }';
    const projects = [made.token, accessToken].map(async (token) => {
      const { name } = await createApp(rest, token);
      return (await graphqlBody(gateway.url, token, query, { id: name })).data.node.project.name;
    });
    expect(await Promise.all(projects)).toEqual([made.first, made.second]);
  });
});

test('token create gives a token its title, and takes away what it may not do', async () => {
  const { account, projects } = await seedTenant(gateway, { projects: 2 });
  const [, project = ''] = projects;
  const options = ['--only-project', project, '--read-only', '--title', 'Dashboard'];
  const { accessToken } = await runJson('token', 'create', '--account', account, ...options);
  const query = '{ viewer { title readOnly onlyProject project { name } } }';
  const expected = { title: 'Dashboard', readOnly: true, onlyProject: true };
  const { data } = await graphqlBody(gateway.url, accessToken, query);
  expect(data.viewer).toEqual({ ...expected, project: { name: project } });
  const { tokens } = await runJson('token', 'list', '--account', account);
  expect(tokens[1]).toMatchObject({ ...expected, project, level: 'account' });
  const { stdout } = await run('token', 'list', '--account', account);
  expect(stdout).toMatch(new RegExp(`  account  read-write  .+  unused +${account}\n`));
  expect(stdout).toMatch(new RegExp(`  account  read-only   .+  ${project}  +Dashboard\n`));
});

test.each([
  ['127.0.0.1', 'http://127.0.0.1:4000'],
  ['0.0.0.0', 'http://localhost:4000'],
  ['::', 'http://localhost:4000'],
  ['::1', 'http://[::1]:4000'],
])('a command uses the same URL as a server on the host %s', async (host, url) => {
  const settings = { HOST: host, DATABASE_URL: gateway.databaseUrl };
  expect(await withDatabase(settings, async ({ publicUrl }) => publicUrl())).toBe(url);
});

function ofProject(project = ''): string[] {
  return ['--project', project, '--only-project', project];
}
