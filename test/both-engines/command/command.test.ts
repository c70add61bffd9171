import { beforeAll, describe, expect, test } from 'vitest';
import { createApp, graphqlBody, ULID } from '../../support/actors.ts';
import { bothApis, restApi } from '../../support/apis.ts';
import { seedTenant, type Tenant, useGateway, useTenant } from '../../support/gateway.ts';
import { commandsOn, pawJson } from '../../support/paw.ts';
import { contentsOf } from '../../support/rows.ts';

const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

const nameOf = (collection: string) =>
  expect.stringMatching(new RegExp(`^${collection}/[0-7][0-9A-HJKMNP-TV-Z]{25}$`));

const gateway = useGateway();
const tenant = useTenant(gateway, { projects: 2 });
let stranger: Tenant;
let app: string;

const rest = restApi(() => gateway.url);

beforeAll(async () => {
  stranger = await seedTenant(gateway);
  app = (await createApp(rest, tenant.token, { title: 'Kiosk' })).name;
});

const { run, runJson } = commandsOn(() => gateway.databaseUrl);

describe('a command prints what it has done as text, and with --json as an object', () => {
  const RINKEBY = 'NETWORK_ETHEREUM_RINKEBY';
  const wallet = (network: string) =>
    `wallet create --project $second --title Cold --description Safe --address ${ADDRESS.toLowerCase()} --network ${network}`;
  const created = { title: 'Cold', description: 'Safe', network: RINKEBY, address: ADDRESS, password: '' };

  test.each<[command: string, text: RegExp, json: object]>([
    [
      'account create --title Atlas',
      /accounts\/\w{26}.+projects\/\w{26}/,
      { name: nameOf('accounts'), title: 'Atlas', defaultProject: nameOf('projects') },
    ],
    [
      `project create --account $account --title ${'🧭'.repeat(200)}`,
      /projects\/\w{26}/,
      {
        ...{ name: nameOf('projects'), title: '🧭'.repeat(200), description: '' },
        imageCoverUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:4000\/covers\/\w{26}\.svg$/),
        imageCoverCid: expect.stringMatching(/^bafkrei[a-z2-7]{52}$/),
      },
    ],
    [wallet(RINKEBY), /wallets\/\w{26}/, created],
    [wallet('NETWORK_ETHEREUM_RINKERBY'), /wallets\/\w{26}/, created],
    [
      'token create --account $account',
      /^paw_acct_\w+\nExpires in 90 days, at \d{4}-\d\d-\d\dT/,
      { accessToken: expect.stringMatching(/^paw_acct_\w+$/), expireTime: expect.any(String) },
    ],
    ['app list --account $account', /^apps\/\w{26} +Kiosk +active +never$/m, { nextPageToken: '' }],
    ['app deactivate $app', /^apps\/\w{26} .+ inactive/, { title: 'Kiosk', privateKey: '', active: false }],
    ['app activate $app', /apps\/\w{26}.+ active/, { title: 'Kiosk', privateKey: '', active: true }],
  ])('%s', async (command, text, json) => {
    const words = wordsOf(command);
    expect(await run(...words)).toEqual({ status: 0, stdout: expect.stringMatching(text), stderr: '' });
    expect(await runJson(...words)).toMatchObject(json);
  });
});

test.each(['-h', '--help', '--json', '--title', '--', '-'])(
  'the title of an account can be %s',
  async (title) => {
    const { stdout, ...result } = await run('account', 'create', '--title', title);
    expect(result).toEqual({ status: 0, stderr: '' });
    const [, account = ''] = /^Created (accounts\/\w+) /.exec(stdout) ?? [];
    expect((await run('account', 'export', account)).stdout).toContain(`"title":"${title}"`);
  },
);

describe('a command with an invalid value', () => {
  let before: readonly unknown[];

  beforeAll(async () => {
    before = await contentsOf(gateway.database, gateway.clock());
  });

  const wallet = 'wallet create --title Cold --network NETWORK_ETHEREUM';

  test.each<[status: 1 | 2, command: string, fields: string[]]>([
    [2, 'account create --title $long', ['title']],
    [
      2,
      'project create --account Atlas --title $long --description $longer',
      ['account', 'title', 'description'],
    ],
    [1, 'project create --account $missing --title Quarry', ['account']],
    [
      2,
      'wallet create --project $missing --title= --network NETWORK_MOON --address 0x12 --description $longer',
      ['project', 'title', 'description', 'network', 'address'],
    ],
    [1, `${wallet} --project projects/${ULID} --address ${ADDRESS}`, ['project']],
    // The checksum is wrong.
    [2, `${wallet} --project $first --address ${ADDRESS.replace('Aeb', 'aeb')}`, ['address']],
    [1, 'token create --account $missing', ['account']],
    [1, 'token create --account $account --project $foreign', ['project']],
    [1, 'token create --account $account --only-project $foreign', ['only-project']],
    [2, 'token create --account $account --project $first --only-project $first', ['only-project']],
    [2, 'token create --account $account --title $long', ['title']],
    [2, 'token create --account $account --expires-in soon', ['--expires-in']],
    // There is no token on standard input.
    [1, 'token revoke', ['token']],
  ])(
    'ends with status %i for %s, whose error names %j in one line, and adds nothing',
    async (expected, command, fields) => {
      const words = wordsOf(command);
      const { status, stdout, stderr } = await run(...words);
      expect({ status, stdout }).toEqual({ status: expected, stdout: '' });
      expect(stderr).toMatch(/^paw: .+\n$/);
      for (const field of fields) expect(stderr).toMatch(new RegExp(`[:.] ${field}(:| must) `));
      expect(stderr.match(/\bmust\b/gi)).toHaveLength(fields.length);

      const asJson = await run(...words, '--json');
      expect(asJson).toMatchObject({ status: expected, stdout: '' });
      const message = stderr.slice('paw: '.length, -1);
      expect(JSON.parse(asJson.stderr)).toMatchObject({
        error: { code: 400, status: 'INVALID_ARGUMENT', message },
      });
      expect(await contentsOf(gateway.database, gateway.clock())).toEqual(before);
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
  const { stdout } = await run('token', 'list', '--account', account, '--wide');
  expect(stdout).toMatch(new RegExp(`  read-write  .+  never +account  ${account}\n`));
  expect(stdout).toMatch(new RegExp(`  Dashboard  read-only   .+  account  ${project}\n`));
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

/** Returns the words of a command, with names and texts in place of words such as `$account`. */
function wordsOf(command: string): string[] {
  const [first, second] = tenant.projects;
  const [foreign] = stranger.projects;
  const texts = { long: '🧭'.repeat(201), longer: 'x'.repeat(2001), missing: `accounts/${ULID}` };
  const values = { ...texts, account: tenant.account, app, first, second, foreign };
  const textOf = (name: string) => values[name as keyof typeof values] ?? expect.unreachable(name);
  return command.split(' ').map((word) => (word[0] === '$' ? textOf(word.slice(1)) : word));
}
