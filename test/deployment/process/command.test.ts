import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { addAddresses } from '../../../src/operator/supply-addresses.ts';
import { send } from '../../support/both-apis.ts';
import { freePort } from '../../support/free-port.ts';
import { addressLines, seedTenant, testFolder, testGateway, useGateway } from '../../support/gateway.ts';
import { createAccountToken, mutate, ulidOf } from '../../support/requests.ts';
import { addWallets, rowsOf } from '../../support/rows.ts';
import {
  listening,
  paw,
  pawInShell,
  pawJson,
  type Settings,
  startProgram,
} from '../../support/run-command.ts';
import { linesUnlikeZsh } from '../../support/shell-lines.ts';

describe('a SQLite database that does not exist', () => {
  const CREATED = /^Created the database .*data\/paw\.db\.\n/;

  test.each<[words: string[], status: number, stdout: RegExp, stderr: RegExp]>([
    [['account', 'create', '--title', 'T'], 0, /^Created accounts/, CREATED],
    [['account', 'create', '--title', 'T', '--json'], 0, /^\{"name":"accounts/, /^$/],
    [['app', 'activate', '01ARZ3NDEKTSV4RRFFQ69G5FAV'], 1, /^$/, CREATED],
  ])('is created by %j', async (words, status, stdout, stderr) => {
    const settings = { DATABASE_URL: `sqlite:${testFolder()}/data/paw.db` };
    expect(await paw(words, settings)).toEqual({
      status,
      stdout: expect.stringMatching(stdout),
      stderr: expect.stringMatching(stderr),
    });
    expect(await paw(['check'], settings)).toMatchObject({ status: 0, stderr: '' });
  });

  test.each<[words: string[], settings: Settings]>([
    [['account', 'list'], {}],
    [['init', '--title', 'Atlas'], { NODE_ENV: 'production' }],
    [['check'], {}],
    [['backup', 'copy.db'], {}],
    [['migrate', '--dry-run'], {}],
  ])('is not created by %j with %o', async (words, settings) => {
    const folder = testFolder();
    await paw(words, { DATABASE_URL: `sqlite:${folder}/data/paw.db`, ...settings });
    expect(existsSync(join(folder, 'data'))).toBe(false);
  });
});

test('the commands of docs/getting-started.md, and the lines that paw init prints, run as they are', async () => {
  const page = readFileSync(new URL('../../../docs/getting-started.md', import.meta.url), 'utf8');
  const [start = '', init = '', app = ''] = [...page.matchAll(/^```sh\n(.*?)^```/gms)].map(
    ([, lines]) => lines,
  );
  const database = {
    DATABASE_URL: `sqlite:${testFolder()}/data/paw.db`,
    PORT: String(await freePort()),
  };
  const env = { PATH: String(process.env['PATH']), ...database };
  const bash = ['--norc', '-euo', 'pipefail', '-c'];
  const { stdout, stderr, status } = await startProgram('bash', [...bash, init], env).ended;
  expect({ status, stderr }).toEqual({
    status: 0,
    stderr: expect.stringMatching(/^Created the database .*\n$/),
  });
  expect(stdout).toMatch(/^Created accounts\/\w{26} with projects\/\w{26}\.$/m);
  expect(stdout).toMatch(/ expires in 90 days, at \d{4}-\d\d-\d\dT[\d:.]+Z\./);
  const [, serve = ''] = /^Start the server:\n\n(.+)$/m.exec(stdout) ?? [];
  expect(start).toBe(`npm ci\n${serve}\n`);
  const server = startProgram('bash', ['--norc', '-c', serve], env);
  // npm would not pass on SIGKILL.
  const { url } = await listening(server, () =>
    onTestFinished(async () => void (await server.stop('SIGTERM'))),
  );
  const consoleUrl = stdout.match(/^http.+#token=paw_acct_\w+$/m)?.[0] ?? '';
  expect((await send(consoleUrl, 'GET')).status).toBe(200);

  expect(linesUnlikeZsh(stdout.slice(stdout.indexOf('\nPAW_URL=')))).toEqual([]);
  const script = `${init.split('\n')[0]}${stdout.slice(stdout.indexOf('\nPAW_URL='))}\n${app}`;
  const lines = execFileSync('bash', [...bash, script], { env })
    .toString()
    .trimEnd()
    .split('\n');
  const project = { name: expect.stringMatching(/^projects\/\w{26}$/), title: 'Acme' };
  const imageCoverUrl = expect.stringContaining(`${url}/covers/`);
  const wallet = { name: expect.stringMatching(/^wallets\/\w{26}$/), network: 'NETWORK_POLYGON' };
  expect(lines.slice(0, 6).map((line) => JSON.parse(line))).toMatchObject([
    { projects: [{ ...project, imageCoverUrl }] },
    { data: { projects: { nodes: [project] } } },
    { title: 'Till', privateKey: expect.stringMatching(/^paw_key_/) },
    { ...wallet, title: 'Savings' },
    { projects: [project] },
    { ...wallet, title: 'Takings' },
  ]);
  const account = /accounts\/\w+/.exec(stdout)?.[0] ?? '';
  const list = await paw(['project', 'list', '--account', account, '--json'], database);
  expect(JSON.parse(list.stdout)).toMatchObject(JSON.parse(lines[0] ?? ''));
  const acts = ['ACTION', 'wallet.update', 'wallet.update', 'wallet.create'];
  expect(lines.slice(6)).toEqual(acts.map((act) => expect.stringContaining(` ${act} `)));
});

/** Runs the lines of a shell in a section of a page as they are printed, with other values of what they name. */
async function runSection(page: string, heading: string, names: Settings, settings: Settings) {
  const text = readFileSync(new URL(`../../../docs/${page}.md`, import.meta.url), 'utf8');
  const [section = ''] = text.split(`\n${heading}\n`)[1]?.split(/^#+ .*$/m) ?? [];
  const blocks = [...section.matchAll(/^```sh\n(.*?)^```/gms)].map(([, lines = '']) => lines);
  const paw = `paw() { '${process.execPath}' '${fileURLToPath(new URL('../../../src/main.js', import.meta.url))}' "$@"; }`;
  const script = Object.entries(names).reduce(
    (lines, [name, value]) => lines.replaceAll(name, value),
    [paw, ...blocks].join('\n'),
  );
  const env = { PATH: String(process.env['PATH']), ...settings };
  return startProgram('bash', ['--norc', '-uc', script], env, testFolder()).ended;
}

const EXAMPLE_ACCOUNT = 'accounts/01ARZ3NDEKTSV4RRFFQ69G5FAV';

test("the lines of docs/backup.md give back yesterday's state of an account, and no address that a wallet has got since", async () => {
  const gateway = await testGateway();
  const { account, token, project, wallets } = await seedTenant(gateway, { wallets: 2, addresses: 3 });
  await addAddresses(gateway.operator, { account, network: 'NETWORK_POLYGON' }, addressLines(2, 900));
  const database = { DATABASE_URL: gateway.databaseUrl };
  const folder = testFolder();
  await pawJson(['backup', join(folder, 'paw-2026-01-31.db')], database);
  const create = async (title: string) => {
    const input = { title, network: 'NETWORK_ETHEREUM' };
    const { data } = await mutate(gateway.url, token, 'createWallet', input, 'wallet { address }');
    return data.createWallet.wallet.address;
  };
  const since = await create('Since');
  await pawJson(['wallet', 'update', wallets[0] ?? '', '--title', 'Changed'], database);
  await pawJson(['wallet', 'delete', wallets[1] ?? '', '--yes'], database);

  const names = { [EXAMPLE_ACCOUNT]: account, '/srv/backups': folder };
  const result = await runSection('backup', "### Yesterday's state of one account", names, database);
  expect(result).toMatchObject({ status: 0, stderr: '' });
  expect(result.stdout).toMatch(/^Left out 3 addresses of .* on NETWORK_ETHEREUM, .*\.$/m);
  expect(result.stdout).toMatch(
    /\nAdded 2 addresses\.\nAdded 2 addresses\.\nNo problem found .*\nImported 0 projects and 1 wallet\.\n$/,
  );
  const listed = (await pawJson(['wallet', 'list', '--project', project], database)).wallets;
  expect(listed.map(({ title }: { title: string }) => title).toSorted()).toEqual([
    'Since',
    'Wallet 1',
    'Wallet 2',
  ]);
  expect(listed).toContainEqual(expect.objectContaining({ title: 'Since', address: since }));
  // The account and its token are active again.
  expect(Number(await create('Next'))).toBe(Number(since) + 1);
  expect(await pawJson(['check'], database)).toMatchObject({ problemCount: 0 });
});

test('the lines of docs/troubleshooting.md lead from what a refused token claims to its revocation', async () => {
  const gateway = await testGateway();
  const { account } = await seedTenant(gateway);
  const { id } = await createAccountToken(gateway.operator, { account, title: 'Pipeline' });
  const database = { DATABASE_URL: gateway.databaseUrl };
  const ask = (token: string) => {
    const names = { [EXAMPLE_ACCOUNT]: account, '01BX5ZZKBKACTAV9WEVGEMMVRZ': token };
    return runSection('troubleshooting', '## A client gets 401 since last night', names, database);
  };
  expect((await ask(id)).stdout).toMatch(
    new RegExp(`^${account} .*\n.*"id":"${id}".*\n.*"token\\.create".*\n$`),
  );
  await pawJson(['token', 'revoke', '--id', id], database);
  const events = [/"token\.revoke".*"actor":"operator"/, /"token\.create"/];
  const { stdout } = await ask(id);
  for (const [index, event] of events.entries()) expect(stdout.split('\n')[index + 1]).toMatch(event);
});

describe('on a terminal', () => {
  const gateway = useGateway();

  /** Runs a command on a terminal on which a person types a line. */
  const type = (line: string, ...words: string[]) => {
    const script = 'printf "%s\\n" "$LINE" | script --quiet --return --command "$*" /dev/null';
    return pawInShell(script, words, { DATABASE_URL: gateway.databaseUrl, LINE: line, TERM: 'xterm' });
  };

  const asks = (end: string) => new RegExp(`^Delete accounts/\\w{26}\\?.* \\[y/N\\] ${end}`, 'm');

  test.each<[answer: string, options: string[], status: number, text: RegExp]>([
    ['y', [], 0, asks('Deleted the account with 1 project')],
    ['', [], 1, asks('paw: Nothing was deleted.')],
    ['no', [], 1, asks('paw: Nothing was deleted.')],
    ['no', ['--yes'], 0, /^Deleted the account/m],
    ['y', ['--json'], 2, /^\{"error".*--yes is required/m],
  ])('after the answer "%s", a deletion with %j has the status %i', async (answer, options, status, text) => {
    const { account } = await seedTenant(gateway);
    const result = await type(answer, 'account', 'delete', account, ...options);
    expect(result).toMatchObject({ status, stdout: expect.stringMatching(text) });
    const rows = await rowsOf(gateway.database, 'account');
    expect(rows.some(({ id }) => id === ulidOf(account))).toBe(status !== 0);
  });

  test('the token to revoke is asked for', async () => {
    const { token } = await seedTenant(gateway);
    const { status, stdout } = await type(token, 'token', 'revoke');
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: expect.stringMatching(/Token: Revoked 1 token\./),
    });
  });

  test.each([
    ['shows a step, and then the result in its place', 'TERM=xterm', '\r\x1b[K'],
    ["that can't erase a line gets plain lines", 'TERM=dumb', '\r\n'],
    ['that does not say what it can gets plain lines', 'TERM=', '\r\n'],
    ['that is narrower than a line gets plain lines', 'stty cols 20;', '\r\n'],
  ])('a terminal %s', async (_, before, end) => {
    const script = `script --quiet --return --command "${before} $*" /dev/null < /dev/null`;
    const settings = { DATABASE_URL: `sqlite:${testFolder()}/paw.db`, TERM: 'xterm' };
    const { status, stdout } = await pawInShell(script, ['migrate'], settings);
    expect(status).toBe(0);
    expect(stdout).toContain(`Applying 0001-initial…${end}Applied 0001-initial.`);
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
  const words = ['account', 'export', tenant.account];
  const { status, stdout } = await pawInShell('"$@" | wc -lc', words, settings);
  const [lines = 0, bytes = 0] = stdout.trim().split(/\s+/).map(Number);
  expect({ status, lines }).toEqual({ status: 0, lines: 20_006 });
  expect(bytes).toBeGreaterThan(40_000_000);
});
