import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { bothApis, type ProjectFields, send, type WalletFields } from '../../support/both-apis.ts';
import { onDatabase } from '../../support/engine.ts';
import { makeDatabase, migrateDatabase, testDatabase, testFolder } from '../../support/gateway.ts';
import { graphqlBody } from '../../support/requests.ts';
import { rowsOf } from '../../support/rows.ts';
import {
  pawInShell,
  pawJson,
  pawProcess,
  type Running,
  type Settings,
  startPaw,
} from '../../support/run-command.ts';
import { linesUnlikeZsh } from '../../support/shell-lines.ts';

type Sample = { url: string; accessToken: string; projects: ProjectFields[]; wallets: WalletFields[] };

type Body = { content: { 'application/json': { example: Record<string, unknown> } } };

/** Starts the demo before the tests, waits until it has printed a text, and ends it after them. */
function useDemo(awaited: string, ...options: string[]) {
  const demo = {} as { databaseUrl: string; running: Running; text: string };
  beforeAll(async () => {
    const { url: databaseUrl, remove } = await makeDatabase();
    const running = startPaw(['demo', ...options], { PORT: '0', DATABASE_URL: databaseUrl });
    Object.assign(demo, { databaseUrl, running, text: await running.printed(awaited) });
    return async () => {
      await running.stop('SIGKILL');
      await remove();
    };
  });
  return demo;
}

describe('paw demo --json', () => {
  const demo = useDemo('\n', '--json');
  let sample: Sample;

  beforeAll(() => {
    sample = JSON.parse(demo.text);
  });

  test('keeps its data at a second start, and serves what it prints by both APIs with each valid token', async () => {
    const second = startPaw(['demo', '--json'], { PORT: '0', DATABASE_URL: demo.databaseUrl });
    onTestFinished(async () => void (await second.stop('SIGKILL')));
    const { url, accessToken, projects, wallets }: Sample = JSON.parse(await second.printed('\n'));
    const nameOf = ({ name }: ProjectFields) => name;
    expect(projects.map(nameOf)).toEqual(sample.projects.map(nameOf));
    expect(wallets).toEqual(sample.wallets);
    expect(accessToken).not.toBe(sample.accessToken);
    expect(await graphqlBody(url, accessToken, '{ viewer { title } }')).toEqual({
      data: { viewer: { title: 'paw demo' } },
    });
    for (const token of [accessToken, sample.accessToken]) {
      for (const printed of [sample, { url, projects }]) {
        for (const api of bothApis(() => printed.url)) {
          const { value } = await api.listProjects(token, { first: 100 });
          expect(value?.projects, api.name).toEqual(printed.projects);
        }
      }
    }
    const cover = await send(String(sample.projects[24]?.imageCoverUrl), 'GET');
    expect([cover.status, cover.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
    expect(await onDatabase(demo.databaseUrl, (database) => rowsOf(database, 'account'))).toHaveLength(1);
  });

  test('runs the requests in the examples of the REST contract as they are, and the sign-in with the key of the app', async () => {
    const { url, accessToken } = sample;
    const { paths } = JSON.parse((await send(`${url}/openapi.json`, 'GET')).text);
    const exampleOf = ({ requestBody }: { requestBody: Body }) =>
      requestBody.content['application/json'].example;
    const request = async (method: string, path: string, body?: object) => {
      const response = await send(url + path, method, accessToken, body);
      expect([path, response.status]).toEqual([path, 200]);
      return JSON.parse(response.text);
    };
    const { name, privateKey } = await request('POST', '/auth/apps', exampleOf(paths['/auth/apps'].post));
    await request('POST', '/auth/accounts:signinIdentity', { privateKey: { name, privateKey } });
    const { patch } = paths['/wallet/{wallet_name}'];
    const wallet = `/wallet/${encodeURIComponent(patch.parameters[0].example)}`;
    expect(await request('PATCH', wallet, exampleOf(patch))).toMatchObject(exampleOf(patch));
    await request('GET', '/project/projects?pageSize=10&pageToken=');
  });

  test('ends with status 0 on SIGTERM, and prints nothing else', async () => {
    expect(await demo.running.stop('SIGTERM')).toEqual({
      status: 0,
      stdout: `${JSON.stringify(sample)}\n`,
      stderr: '',
    });
  });
});

describe('paw demo', () => {
  const demo = useDemo('Stop with');

  test('prints what the requests in the README need, and these have the responses in the README', async () => {
    const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
    const [, session = ''] = readme.split('## A first session');
    const blockOf = (language: string) => session.split(`\`\`\`${language}\n`)[1]?.split('```')[0] ?? '';
    const [variables = ''] = /^PAW_URL=.*^WALLET=.*?$/ms.exec(demo.text) ?? [];
    let responses = '';
    for (const line of blockOf('sh').trim().split('\n')) {
      // Like the reader, it fills in what the responses so far contain.
      const received = (beginning: string) => new RegExp(`${beginning}\\w+`).exec(responses)?.[0] ?? '';
      const filled = line.replace(/(\w+[_/])…/g, (_, beginning) => received(beginning));
      const script = `${variables}\n${filled}`;
      const { stdout } = await promisify(execFile)('bash', ['--norc', '-euo', 'pipefail', '-c', script]);
      responses += `${stdout}\n`;
    }
    const withoutIds = (lines: string) => lines.replace(/\b[0-9A-Z]{26}\b|paw_(?:key|app)_[^"]*/g, '…');
    expect(withoutIds(responses)).toBe(withoutIds(blockOf('json')));
  });

  test('prints commands that work unchanged: each of the four operations by both APIs', async () => {
    const lines = demo.text.slice(demo.text.indexOf('\nPAW_URL='), demo.text.indexOf('Stop with'));
    expect(linesUnlikeZsh(lines)).toEqual([]);
    // The responses end without a line break.
    const script = `curl() { command curl "$@" && echo; }\n${lines}`;
    const env = { PATH: process.env['PATH'] };
    const words = ['--norc', '-euo', 'pipefail', '-c', script];
    const { stdout, stderr } = await promisify(execFile)('bash', words, { env });
    expect(stderr).toBe('');
    const responses = stdout.split('\n').flatMap((line) => (line.trim() ? [JSON.parse(line)] : []));
    expect(responses.filter((response) => response.error || response.errors)).toEqual([]);

    // The operations of GraphQL, and the first fields of the results of REST.
    const kinds = responses.map(({ data, ...result }) => Object.keys(data ?? result)[0]);
    expect(kinds.sort()).toEqual(
      ['projects', 'projects', 'name', 'updateWallet', 'name', 'createApp', 'accessToken', 'signIn'].sort(),
    );
  });

  test('prints the URLs of pages that exist, first that of the console with a valid token', async () => {
    const pages = [...demo.text.matchAll(/^(http\S+)/gm)].map(([, page = '']) => page);
    const paths = ['/console', '/graphiql', '/reference', '/graphql'];
    expect(pages.map((page) => new URL(page).pathname)).toEqual(paths);
    for (const page of pages) {
      const { status, headers } = await send(page, 'GET', undefined, undefined, { accept: 'text/html' });
      expect([status, headers.get('content-type')?.split(';')[0]], page).toEqual([200, 'text/html']);
    }
    const { origin, hash } = new URL(pages[0] ?? '');
    const token = /^#token=(paw_acct_\w+)$/.exec(hash)?.[1];
    expect((await send(`${origin}/project/projects`, 'GET', token)).status).toBe(200);
  });

  test.each(['http://localhost:5173', 'http://127.0.0.1:3000', 'https://studio.apollographql.com'])(
    'allows the pages of %s',
    async (origin) => {
      const { href } = new URL('/graphql', demo.text.split('\n')[0]);
      const { headers } = await send(href, 'GET', undefined, undefined, { origin });
      expect(headers.get('access-control-allow-origin')).toBe(origin);
    },
  );

  test('ends with status 0 on SIGINT, and prints nothing else', async () => {
    const { status, stdout } = await demo.running.stop('SIGINT');
    expect(status).toBe(0);
    expect(stdout.trimEnd()).toBe(demo.text.trimEnd());
  });
});

test('paw demo stores its data in data/demo.db by default, and ends with status 0 if it is stopped at once', async () => {
  const folder = testFolder();
  const settings = { PORT: '0', PAW_CONSOLE: 'off', PAW_EXPLORERS: 'off', PAW_SANDBOX: 'off' };
  const running = startPaw(['demo'], settings, folder);
  onTestFinished(async () => void (await running.stop('SIGKILL')));
  const pages = (await running.printed('Stop with')).match(/^http.*/gm);
  expect((await running.stop('SIGTERM')).status).toBe(0);
  expect(existsSync(join(folder, 'data', 'demo.db'))).toBe(true);
  // Without console, explorers and Sandbox the start page is the only page.
  expect(pages).toEqual([expect.stringMatching(/:\d+\/$/)]);
});

test('paw demo ends with status 1 if its instructions are lost, and leaves no token', async () => {
  const { url } = await testDatabase();
  const result = await pawInShell('"$@" > /dev/full', ['demo'], { PORT: '0', DATABASE_URL: url });
  const stderr = "paw: Standard output can't be written: no space left on device.\n";
  expect(result).toEqual({ status: 1, stdout: '', stderr });
  expect(await onDatabase(url, (database) => rowsOf(database, 'token'))).toEqual([]);
});

test('paw demo refuses a database with accounts that it has not made, and creates no token there', async () => {
  const { url } = await testDatabase();
  const settings = { DATABASE_URL: url, PORT: '0' };
  await migrateDatabase(url);
  await pawJson(['init', '--title', 'Acme'], settings);
  const { status, stdout, stderr } = await pawProcess(['demo'], settings);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(/^paw: The database has accounts that this ".* demo" did not create\..*\n$/);
  expect(await onDatabase(url, (database) => rowsOf(database, 'token'))).toHaveLength(1);
});

test('paw demo is refused in production, before it makes anything', async () => {
  const folder = testFolder();
  const { url } = await testDatabase();
  await migrateDatabase(url);
  for (const settings of [{}, { DATABASE_URL: url }, { DATABASE_URL: `sqlite:${folder}/new.db` }]) {
    const words = ['demo', '--json'];
    const { status, stdout, stderr } = await startPaw(words, { NODE_ENV: 'production', ...settings }, folder)
      .ended;
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(JSON.parse(stderr).error.message).toMatch(/^NODE_ENV must not be production for /);
  }
  // Another setting that is wrong.
  const invalid = { PAW_TRUSTED_DOCUMENTS: 'missing.json' };
  expect(await startPaw(['demo'], invalid, folder).ended).toMatchObject({ status: 1, stdout: '' });
  expect(readdirSync(folder)).toEqual([]);
  expect(await onDatabase(url, (database) => rowsOf(database, 'account'))).toEqual([]);
});

test('paw demo with its account suspended says how to resume it, and makes no token', async () => {
  const { url } = await testDatabase();
  const settings = { DATABASE_URL: url, PORT: '0' };
  await startDemo(settings);
  const [account] = (await pawJson(['account', 'list'], settings)).accounts;
  await pawJson(['account', 'suspend', account.name], settings);
  const { status, stdout, stderr } = await pawProcess(['demo'], settings);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(
    new RegExp(
      `^paw: The account of the demo, ${account.name}, has the state SUSPENDED.* account resume.*\n$`,
    ),
  );
  expect(await onDatabase(url, (database) => rowsOf(database, 'token'))).toHaveLength(1);
  await pawJson(['account', 'resume', account.name], settings);
  await startDemo(settings);
});

/** Runs a demo until it has printed its instructions. */
async function startDemo(settings: Settings): Promise<void> {
  const running = startPaw(['demo'], settings);
  onTestFinished(async () => void (await running.stop('SIGKILL')));
  await running.printed('Stop with');
  await running.stop('SIGTERM');
}
