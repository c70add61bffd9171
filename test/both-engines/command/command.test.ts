import { beforeAll, describe, expect, test } from 'vitest';
import { createApp, graphqlBody, ULID } from '../../support/actors.ts';
import { bothApis, restApi, send } from '../../support/apis.ts';
import { seedTenant, type Tenant, useGateway } from '../../support/gateway.ts';
import { commandsOn, pawJson, pawProcess } from '../../support/paw.ts';

const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

const nameOf = (collection: string) =>
  expect.stringMatching(new RegExp(`^${collection}/[0-7][0-9A-HJKMNP-TV-Z]{25}$`));

const gateway = useGateway();
let tenant: Tenant;
let stranger: Tenant;

const rest = restApi(() => gateway.url);

beforeAll(async () => {
  tenant = await seedTenant(gateway, { projects: 2 });
  stranger = await seedTenant(gateway);
});

const { run, runJson } = commandsOn(() => gateway.databaseUrl);

describe('a process of its own', () => {
  const runProcess = (...words: string[]) => pawProcess(words, { DATABASE_URL: gateway.databaseUrl });

  test('ends with status 0 if the command succeeds', async () => {
    const { stdout, ...result } = await runProcess('account', 'create', '--title', 'Atlas', '--json');
    expect(result).toEqual({ status: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ name: nameOf('accounts'), title: 'Atlas' });
  });

  test('ends with status 2 and one line if the command is not complete', async () => {
    const stderr = expect.stringMatching(/^paw: .+\n$/);
    expect(await runProcess('account', 'create')).toEqual({ status: 2, stdout: '', stderr });
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
    [['token', 'create', '--account', account], /^paw_acct_\w+\nExpires in 90 days, at \d{4}-\d\d-\d\dT/],
    [['app', 'list', '--account', account], new RegExp(`^${app.name} +active +never +Kiosk$`, 'm')],
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

  test.each<[status: 1 | 2, what: string, fields: string[], words: () => string[]]>([
    [2, 'a title too long', ['title'], () => ['account', 'create', '--title', '🧭'.repeat(201)]],
    [
      2,
      'a malformed account and texts too long',
      ['account', 'title', 'description'],
      () => [
        ...['project', 'create', '--account', 'Atlas', '--title', 'x'.repeat(201)],
        ...['--description', 'x'.repeat(2001)],
      ],
    ],
    [
      1,
      'an unknown account for a project',
      ['account'],
      () => ['project', 'create', '--account', `accounts/${ULID}`, '--title', 'Quarry'],
    ],
    [
      2,
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
    [
      1,
      'an unknown project',
      ['project'],
      () => ['wallet', 'create', ...wallet(`projects/${ULID}`, ADDRESS)],
    ],
    [
      2,
      'an address whose checksum is wrong',
      ['address'],
      () => ['wallet', 'create', ...wallet(tenant.projects[0], ADDRESS.replace('Aeb', 'aeb'))],
    ],
    [
      1,
      'an unknown account for a token',
      ['account'],
      () => ['token', 'create', '--account', `accounts/${ULID}`],
    ],
    [
      1,
      'a project of another account',
      ['project'],
      () => ['token', 'create', '--account', tenant.account, '--project', String(stranger.projects[0])],
    ],
    [
      1,
      'the only project of another account',
      ['only-project'],
      () => ['token', 'create', '--account', tenant.account, '--only-project', String(stranger.projects[0])],
    ],
    [
      2,
      'a default project beside the only project',
      ['only-project'],
      () => ['token', 'create', '--account', tenant.account, ...ofProject(tenant.projects[0])],
    ],
    [
      2,
      'a title that is too long',
      ['title'],
      () => ['token', 'create', '--account', tenant.account, '--title', 'x'.repeat(201)],
    ],
    [
      2,
      'a malformed duration',
      ['--expires-in'],
      () => ['token', 'create', '--account', tenant.account, '--expires-in', 'soon'],
    ],
    [1, 'no token on standard input', ['token'], () => ['token', 'revoke']],
  ])(
    'ends with status %i for %s, names %j in one line, and adds nothing',
    async (expected, _, fields, words) => {
      const { status, stdout, stderr } = await run(...words());
      expect({ status, stdout }).toEqual({ status: expected, stdout: '' });
      expect(stderr).toMatch(/^paw: .+\n$/);
      for (const field of fields) expect(stderr).toMatch(new RegExp(`[:.] ${field}(:| must) `));
      expect(stderr.match(/\bmust\b/gi)).toHaveLength(fields.length);

      const asJson = await run(...words(), '--json');
      expect(asJson).toMatchObject({ status: expected, stdout: '' });
      const message = stderr.slice('paw: '.length, -1);
      expect(JSON.parse(asJson.stderr)).toMatchObject({
        error: { code: 400, status: 'INVALID_ARGUMENT', message },
      });
      expect(await gateway.database.read(COUNT)).toEqual(before);
    },
  );
});

test('both APIs serve the resources that the commands create', async () => {
  const { name: account, defaultProject: first } = await runJson('account', 'create', '--title', 'Atlas');
  const { name: second } = await runJson('project', 'create', '--account', account, '--title', 'Quarry');
  const words = ['--title', 'Cold', '--network', 'NETWORK_ETHEREUM', '--address', ADDRESS];
  const { name: wallet } = await runJson('wallet', 'create', '--project', second, ...words);
  const create = ['token', 'create', '--account', account];
  const tokens = [await runJson(...create), await runJson(...create, '--project', second)];
  for (const api of bothApis(() => gateway.url)) {
    const [token = ''] = tokens.map(({ accessToken }) => accessToken);
    const { value: page } = await api.listProjects(token);
    expect(page?.projects.map(({ name, title }) => [name, title])).toEqual([
      [first, 'Atlas'],
      [second, 'Quarry'],
    ]);
    const { value: updated } = await api.updateWallet(token, wallet, { title: api.name });
    expect(updated).toMatchObject({ name: wallet, title: api.name, project: second, address: ADDRESS });
  }
  // New apps belong to the project of the account token.
  const query = 'query ($id: ID!) { node(id: $id) { ... on App { project { name } } } }';
  for (const [index, { accessToken }] of tokens.entries()) {
    const { name: id } = await createApp(rest, accessToken);
    const { data } = await graphqlBody(gateway.url, accessToken, query, { id });
    expect(data.node.project.name).toBe([first, second][index]);
  }
});

test('token create stores the title and the restrictions of a token', async () => {
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
  expect(stdout).toMatch(new RegExp(`  account  read-write  .+  never +${account}\n`));
  expect(stdout).toMatch(new RegExp(`  account  read-only   .+  ${project}  +Dashboard\n`));
});

test.each([
  ['127.0.0.1', 'http://127.0.0.1:4000'],
  ['0.0.0.0', 'http://localhost:4000'],
  ['::', 'http://localhost:4000'],
  ['::1', 'http://[::1]:4000'],
])('a command uses the same URL as a server on the host %s', async (host, url) => {
  const settings = { HOST: host, DATABASE_URL: gateway.databaseUrl };
  const { projects } = await pawJson(['project', 'list', '--account', tenant.account], settings);
  expect(new URL(projects[0].imageCoverUrl).origin).toBe(url);
});

function ofProject(project = ''): string[] {
  return ['--project', project, '--only-project', project];
}
