import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ulidOf } from '../support/actors.ts';
import { send } from '../support/apis.ts';
import { freePort } from '../support/free-port.ts';
import { seedTenant, testGateway, useGateway } from '../support/gateway.ts';
import { listening, pawInShell, type Settings, startPaw } from '../support/paw.ts';
import { addWallets, rowsOf } from '../support/rows.ts';

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'paw-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

describe('a SQLite database that does not exist', () => {
  const CREATED = 'Created the database data/paw.db.\n';

  test.each<[words: string[], status: number, stdout: string, stderr: string]>([
    [['account', 'list'], 0, 'No accounts. Create one with paw init --title <text>.\n', CREATED],
    [['account', 'list', '--json'], 0, '{"accounts":[],"nextPageToken":""}\n', ''],
    [['audit', 'list', '--all'], 0, 'No events.\n', CREATED],
    [['app', 'activate', 'Atlas'], 2, '', `${CREATED}paw: name: Must be `],
  ])('is created by %j', async (words, status, stdout, stderr) => {
    const folder = makeFolder();
    const result = await startPaw(words, {}, folder).ended;
    expect(result).toEqual({ status, stdout, stderr: expect.stringContaining(stderr) });
    const check = await startPaw(['check'], {}, folder).ended;
    expect(check).toMatchObject({ status: 0, stderr: '' });
  });

  test.each<[words: string[], settings: Settings]>([
    [['account', 'list'], { NODE_ENV: 'production' }],
    [['init', '--title', 'Atlas'], { NODE_ENV: 'production' }],
    [['check'], {}],
    [['backup', 'copy.db'], {}],
    [['migrate', '--dry-run'], {}],
  ])('is not created by %j with %o', async (words, settings) => {
    const folder = makeFolder();
    await startPaw(words, settings, folder).ended;
    expect(existsSync(join(folder, 'data'))).toBe(false);
  });
});

describe('paw init', () => {
  test('in an empty folder prints lines that work unchanged once the server runs', async () => {
    const folder = makeFolder();
    const settings = { PORT: String(await freePort()) };
    const { stdout, stderr, status } = await startPaw(['init', '--title', 'Atlas'], settings, folder).ended;
    expect({ status, stderr }).toEqual({ status: 0, stderr: 'Created the database data/paw.db.\n' });
    expect(stdout).toMatch(/^Created accounts\/\w{26} with projects\/\w{26}\.$/m);
    expect(stdout).toMatch(/ expires in 90 days, at \d{4}-\d\d-\d\dT[\d:.]+Z\./);
    expect(stdout).toContain('"npm run -s paw --" in place of "npx paw-gateway"');
    expect(stdout).toContain('\nnpx paw-gateway serve\n');
    const { url } = await listening(startPaw(['serve'], settings, folder));
    const consoleUrl = stdout.match(/^http.+#token=paw_acct_\w+$/m)?.[0] ?? '';
    expect((await send(consoleUrl, 'GET')).status).toBe(200);
    const npx = `npx() { shift; command '${process.execPath}' '${join(process.cwd(), 'src/main.js')}' "$@"; }`;
    const script = `${npx}\n${stdout.slice(stdout.indexOf('\nPAW='))}`;
    const env = { PATH: process.env['PATH'] };
    const output = execFileSync('bash', ['--norc', '-euo', 'pipefail', '-c', script], { cwd: folder, env });
    const lines = output.toString().trimEnd().split('\n');
    const project = { name: expect.stringMatching(/^projects\/\w{26}$/), title: 'Atlas' };
    const imageCoverUrl = expect.stringContaining(`${url}/covers/`);
    expect(lines.slice(0, 3).map((line) => JSON.parse(line))).toMatchObject([
      { projects: [{ ...project, imageCoverUrl }] },
      { data: { projects: { nodes: [project] } } },
      { title: 'Till', privateKey: expect.stringMatching(/^paw_key_/) },
    ]);
    const account = /accounts\/\w+/.exec(stdout)?.[0] ?? '';
    const list = startPaw(['project', 'list', '--account', account, '--json'], settings, folder);
    expect(JSON.parse((await list.ended).stdout)).toEqual(JSON.parse(lines[0] ?? ''));
    expect(lines.slice(3)).toEqual([expect.stringMatching(/^Created wallets\/\w{26}\.$/)]);
  });
});

describe('on a terminal', () => {
  const gateway = useGateway();

  /** Runs a command on a terminal on which a person types a line. */
  const type = (line: string, ...words: string[]) => {
    const script = 'printf "%s\\n" "$LINE" | script --quiet --return --command "$*" /dev/null';
    return pawInShell(script, words, { DATABASE_URL: gateway.databaseUrl, LINE: line });
  };

  test.each([
    ['y', 0, /Delete accounts\/\w{26}\? This can't be undone\. \[y\/N\] Deleted the account with 1 project/],
    ['', 1, /\[y\/N\] paw: Nothing was deleted\./],
    ['no', 1, /\[y\/N\] paw: Nothing was deleted\./],
  ])('a deletion asks first, and the answer "%s" has the status %i', async (answer, status, text) => {
    const { account } = await seedTenant(gateway);
    const result = await type(answer, 'account', 'delete', account);
    expect(result).toMatchObject({ status, stdout: expect.stringMatching(text) });
    const rows = await rowsOf(gateway.database, 'account');
    expect(rows.filter(({ id }) => id === ulidOf(account))).toHaveLength(status);
  });

  test.each([
    ['--yes', 0, /Deleted the account/],
    ['--json', 2, /--yes is required/],
  ])('a deletion with %s asks nothing', async (option, status, text) => {
    const { account } = await seedTenant(gateway);
    const result = await type('y', 'account', 'delete', account, option);
    expect(result).toMatchObject({ status, stdout: expect.stringMatching(text) });
    expect(result.stdout).not.toContain('[y/N]');
  });

  test('the token to revoke is asked for', async () => {
    const { token } = await seedTenant(gateway);
    const { status, stdout } = await type(token, 'token', 'revoke');
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: expect.stringMatching(/Token: Revoked 1 token\./),
    });
  });

  test('an import shows its progress, and then its result in the same place', async () => {
    const { account } = await seedTenant(gateway);
    const { status, stdout } = await type(
      '{"type":"project","title":"Mine"}',
      'import',
      '--account',
      account,
      '-',
    );
    expect({ status, stdout }).toEqual({
      status: 0,
      // biome-ignore lint/suspicious/noControlCharactersInRegex: ECMA-48
      stdout: expect.stringMatching(/Imported 1\.\r\x1b\[KImported 1 project and 0 wallets\.\r\n$/),
    });
  });

  test('the output and a pipe for the input ask nothing', async () => {
    const { account } = await seedTenant(gateway);
    const script = 'script --quiet --return --command "$* < /dev/null" /dev/null';
    const settings = { DATABASE_URL: gateway.databaseUrl };
    const result = await pawInShell(script, ['account', 'delete', account], settings);
    expect(result).toMatchObject({ status: 2, stdout: expect.stringMatching(/^paw: --yes is required/) });
  });
});

test('an export larger than the memory of its process is complete', async () => {
  const gateway = await testGateway();
  const tenant = await seedTenant(gateway);
  await addWallets(gateway.database, tenant, 20_000, `'${'x'.repeat(2000)}'`);
  const settings = { DATABASE_URL: gateway.databaseUrl, NODE_OPTIONS: '--max-old-space-size=32' };
  const { status, stdout } = await pawInShell(
    '"$@" | wc -lc',
    ['account', 'export', tenant.account],
    settings,
  );
  const [lines = 0, bytes = 0] = stdout.trim().split(/\s+/).map(Number);
  expect({ status, lines }).toEqual({ status: 0, lines: 20_006 });
  expect(bytes).toBeGreaterThan(40_000_000);
});
