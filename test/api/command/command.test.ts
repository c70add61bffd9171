import { beforeAll, describe, expect, test } from 'vitest';
import { restApi } from '../../support/both-apis.ts';
import { seedTenant, type Tenant, testGateway, useGateway, useTenant } from '../../support/gateway.ts';
import { createApp, graphqlBody, tokenStatus, ULID, ulidOf } from '../../support/requests.ts';
import { contentsOf } from '../../support/rows.ts';
import { commandsOn, pawJson, type Settings } from '../../support/run-command.ts';

const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

const gateway = useGateway();
const tenant = useTenant(gateway, { wallets: 1 });
let stranger: Tenant;
let app: string;

const rest = restApi(() => gateway.url);

beforeAll(async () => {
  stranger = await seedTenant(gateway);
  app = (await createApp(rest, tenant.token, { title: 'Kiosk' })).name;
});

const { run, runJson } = commandsOn(() => gateway.databaseUrl);

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

  // `values.test.ts` has a malformed value of each option. The names that are missing have no resource, the foreign ones are of
  // another account.
  test.each<[status: 1 | 2, command: string, fields: string]>([
    [1, 'account suspend accounts/$missing', 'name'],
    [1, 'account resume accounts/$missing', 'name'],
    [1, 'project create --account accounts/$missing --title Quarry', 'account'],
    [1, 'project update projects/$missing --title Quarry', 'name'],
    [1, 'project delete projects/$missing --yes', 'name'],
    [
      2,
      'wallet create --project accounts/$missing --title= --network NETWORK_MOON --address 0x12 --description $longer',
      'project title description network address',
    ],
    [1, `${wallet} --project projects/$missing --address ${ADDRESS}`, 'project'],
    [1, 'wallet update wallets/$missing --title Cold', 'name'],
    [1, 'wallet update $wallet --project $foreign', 'project'],
    [1, 'wallet delete wallets/$missing --yes', 'name'],
    [1, 'app create --project projects/$missing --title Till', 'project'],
    [1, 'app update apps/$missing', 'name'],
    [1, 'app rotate-key apps/$missing', 'name'],
    [1, 'app delete apps/$missing --yes', 'name'],
    // The ULID of a wallet.
    [1, 'app delete $ulid --yes', 'name'],
    [1, 'token create --account accounts/$missing', 'account'],
    [1, 'token create --account $account --project $foreign', 'project'],
    [1, 'token create --account $account --only-project $foreign', 'only-project'],
    [2, 'token create --account $account --project $first --only-project $first', 'only-project'],
    [2, 'token create --account $account --expires-in soon', '--expires-in'],
    // There is no token on standard input.
    [1, 'token revoke', 'token'],
    [1, 'token revoke --id $missing', 'id'],
    [1, 'token revoke --app apps/$missing', 'app'],
    [1, 'token revoke --account accounts/$missing', 'account'],
    [1, 'project list --account accounts/$missing', 'account'],
    [1, 'wallet list --project projects/$missing', 'project'],
    [1, 'token list --account accounts/$missing', 'account'],
    [2, 'audit list --since 90', '--since'],
    [2, 'audit list --since 2026-01-31', 'since'],
    [1, 'import --account accounts/$missing -', 'account'],
  ])(
    'ends with status %i for %s, names %j in one line, and changes nothing',
    async (expected, command, fields) => {
      const words = wordsOf(command);
      const { status, stdout, stderr } = await run(...words);
      expect({ status, stdout }).toEqual({ status: expected, stdout: '' });
      expect(stderr).toMatch(/^paw: .+\n$/);
      const names = fields.split(' ');
      for (const name of names) expect(stderr).toMatch(new RegExp(`[:.] ${name}(:| must) `));
      expect(stderr.match(/\bmust\b/gi)).toHaveLength(names.length);

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

test.each([
  ['--project $second', { readOnly: false, onlyProject: false, title: '' }],
  [
    '--only-project $second --read-only --title Dashboard',
    { readOnly: true, onlyProject: true, title: 'Dashboard' },
  ],
])('token create with %s gives a token these restrictions: %o', async (options, expected) => {
  const { account, projects } = await seedTenant(gateway, { projects: 2 });
  const [, project = ''] = projects;
  const words = options.replace('$second', project).split(' ');
  const { id, accessToken } = await runJson('token', 'create', '--account', account, ...words);
  const query = '{ viewer { title readOnly onlyProject project { name } } }';
  const { data } = await graphqlBody(gateway.url, accessToken, query);
  expect(data.viewer).toEqual({ ...expected, project: { name: project } });
  const { tokens } = await runJson('token', 'list', '--account', account);
  expect(tokens[1]).toMatchObject({ id, ...expected, project, level: 'account' });
});

test.each([
  ['90 days by default', [], 90 * 86_400_000],
  ['the time of --expires-in', ['--expires-in', '45s'], 45 * 1000],
])('an account token is valid for %s', async (_, options, lifeMs) => {
  const own = await testGateway();
  const { account } = await seedTenant(own);
  const words = ['token', 'create', '--account', account, ...options];
  const earliest = Date.now() + lifeMs;
  const { accessToken, expireTime } = await pawJson(words, { DATABASE_URL: own.databaseUrl });
  const expireTimeMs = Date.parse(expireTime);
  expect(expireTimeMs).toBeGreaterThanOrEqual(earliest);
  expect(expireTimeMs).toBeLessThanOrEqual(Date.now() + lifeMs);
  const api = restApi(() => own.url);
  own.clock.advance(expireTimeMs - own.clock() - 1);
  expect(await tokenStatus(api, accessToken)).toBe('ok');
  own.clock.advance(1);
  expect(await tokenStatus(api, accessToken)).toBe('TOKEN_INVALID');
});

test.each<[settings: Settings, url: string]>([
  [{}, 'http://127.0.0.1:4000'],
  [{ HOST: '0.0.0.0', PORT: '4001' }, 'http://localhost:4001'],
  [{ HOST: '::' }, 'http://localhost:4000'],
  [{ HOST: '::1' }, 'http://[::1]:4000'],
  [{ HOST: 'fe80:0:0:0::1%eth0' }, 'http://[fe80::1]:4000'],
  [{ HOST: 'Paw.Example', PORT: '80' }, 'http://paw.example'],
  [{ PUBLIC_URL: 'https://paw.example.com/paw/' }, 'https://paw.example.com/paw'],
  [{ PAW_CONSOLE: 'off' }, 'http://127.0.0.1:4000'],
])('a command prints the URLs of a server with %o', async (others, url) => {
  const settings = { ...others, DATABASE_URL: gateway.databaseUrl };
  const { account, ...created } = await pawJson(['init', '--title', 'Atlas'], settings);
  expect(created).toEqual({
    defaultProject: expect.stringMatching(/^projects\/\w{26}$/),
    accessToken: expect.stringMatching(/^paw_acct_\w+$/),
    expireTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    url,
    consoleUrl: others['PAW_CONSOLE'] ? '' : `${url}/console`,
  });
  const { tokens } = await pawJson(['token', 'list', '--account', account], settings);
  expect(tokens).toEqual([expect.objectContaining({ title: 'paw init' })]);
  const { projects } = await pawJson(['project', 'list', '--account', account], settings);
  expect(projects[0].imageCoverUrl).toBe(`${url}/covers/${ulidOf(projects[0].name)}.svg`);
});

/** Returns the words of a command, with names and texts in place of words such as `$account`. */
function wordsOf(command: string): string[] {
  const { account, projects, wallet } = tenant;
  const texts = { long: '🧭'.repeat(201), longer: 'x'.repeat(2001), missing: ULID, ulid: ulidOf(wallet) };
  const names = { account, app, wallet, first: projects[0], foreign: stranger.projects[0] };
  const values: Readonly<Record<string, string | undefined>> = { ...texts, ...names };
  return command
    .split(' ')
    .map((word) => word.replace(/\$(\w+)/, (_, name) => values[name] ?? expect.unreachable(name)));
}
