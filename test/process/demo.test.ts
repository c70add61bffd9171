import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { bothApis, type ProjectFields, send, type WalletFields } from '../support/apis.ts';
import { onDatabase } from '../support/engine.ts';
import { makeDatabase, type TestDatabase } from '../support/gateway.ts';
import { pawInShell, type Running, startPaw } from '../support/paw.ts';

type Sample = { url: string; accessToken: string; projects: ProjectFields[]; wallets: WalletFields[] };

type Body = { content: { 'application/json': { example: Record<string, unknown> } } };

const ANY_TEXT = expect.stringMatching(/^\S.*$/);

describe('paw demo --json', () => {
  let made: TestDatabase;
  let running: Running;
  let sample: Sample;

  beforeAll(async () => {
    made = await makeDatabase();
    running = startPaw(['demo', '--json'], { PORT: '0', DATABASE_URL: made.url });
    sample = JSON.parse(await running.printed('\n'));
  });

  afterAll(async () => {
    await running.stop('SIGKILL');
    await made.remove();
  });

  /** The names of the projects that a token can read, by each API of a server. */
  const projectsSeen = (url: string, token: string) =>
    Promise.all(
      bothApis(() => url).map(async (api) => {
        const { value } = await api.listProjects(token, { first: 100 });
        return value?.projects.map(({ name }) => name);
      }),
    );

  test('prints its URL, a token, 25 projects and 2 wallets', () => {
    const { url } = sample;
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const wallet = { name: expect.stringMatching(/^wallets\//), project: sample.projects[0]?.name };
    expect(sample).toEqual({
      url,
      accessToken: expect.stringMatching(/^paw_acct_\w+$/),
      projects: new Array(25).fill(expect.objectContaining({ title: ANY_TEXT })),
      wallets: new Array(2).fill(expect.objectContaining(wallet)),
    });
    expect(new Set(sample.projects.map(({ title }) => title)).size).toBe(25);
  });

  test('serves the projects that it prints by both APIs, their covers, and the Sandbox', async () => {
    for (const api of bothApis(() => sample.url)) {
      const { value } = await api.listProjects(sample.accessToken, { first: 100 });
      expect(value?.projects, api.name).toEqual(sample.projects);
    }
    const cover = await send(String(sample.projects[24]?.imageCoverUrl), 'GET');
    expect([cover.status, cover.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
    const sandbox = await send(`${sample.url}/graphql`, 'GET', undefined, undefined, { accept: 'text/html' });
    expect([sandbox.status, sandbox.headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^text\/html/),
    ]);
  });

  test('keeps its data at a second start, which prints another valid token', async () => {
    const second = startPaw(['demo', '--json'], { PORT: '0', DATABASE_URL: made.url });
    onTestFinished(async () => {
      await second.stop('SIGKILL');
    });
    const { url, accessToken, projects, wallets }: Sample = JSON.parse(await second.printed('\n'));
    const names = sample.projects.map(({ name }) => name);
    expect(projects.map(({ name }) => name)).toEqual(names);
    expect(wallets).toEqual(sample.wallets);
    expect(accessToken).not.toBe(sample.accessToken);
    for (const token of [accessToken, sample.accessToken]) {
      expect(await projectsSeen(url, token)).toEqual([names, names]);
      expect(await projectsSeen(sample.url, token)).toEqual([names, names]);
    }
    const count = 'SELECT COUNT(*) AS accounts FROM account';
    expect(await onDatabase(made.url, (database) => database.read(count))).toEqual([{ accounts: 1 }]);
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
    expect(await running.stop('SIGTERM')).toEqual({
      status: 0,
      stdout: `${JSON.stringify(sample)}\n`,
      stderr: '',
    });
  });
});

describe('paw demo', () => {
  let made: TestDatabase;
  let running: Running;
  let text: string;

  beforeAll(async () => {
    made = await makeDatabase();
    running = startPaw(['demo'], { PORT: '0', DATABASE_URL: made.url });
    text = await running.printed('Stop with');
  });

  afterAll(async () => {
    await running.stop('SIGKILL');
    await made.remove();
  });

  test('prints what the requests in the README need, and these have the responses in the README', async () => {
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
    const [, session = ''] = readme.split('## A first session');
    const blockOf = (language: string) => session.split(`\`\`\`${language}\n`)[1]?.split('```')[0] ?? '';
    const [variables = ''] = /^PAW=.*^WALLET=.*?$/ms.exec(text) ?? [];
    const script = `${variables}\n${blockOf('sh')}`;
    const { stdout } = await promisify(execFile)('bash', ['--norc', '-euo', 'pipefail', '-c', script]);
    const withoutIds = (lines: string) => lines.replace(/\b[0-9A-Z]{26}\b|paw_key_[^"]*/g, '…');
    expect(withoutIds(stdout)).toBe(withoutIds(blockOf('json')));
  });

  test('prints commands that work unchanged: each of the four operations by both APIs', async () => {
    const lines = text.slice(text.indexOf('\nPAW='), text.indexOf('Stop with'));
    // The responses end without a line break.
    const script = `curl() { command curl "$@" && echo; }\n${lines}`;
    const env = { PATH: process.env['PATH'] };
    const words = ['--norc', '-euo', 'pipefail', '-c', script];
    const { stdout, stderr } = await promisify(execFile)('bash', words, { env });
    expect(stderr).toBe('');
    const responses = stdout.split('\n').flatMap((line) => (line.trim() ? [JSON.parse(line)] : []));
    expect(responses.filter((response) => response.error || response.errors)).toEqual([]);

    const some = (fields: object) => expect.objectContaining(fields);
    const two = [some({ title: ANY_TEXT }), some({ title: ANY_TEXT })];
    const expected = [
      some({ projects: two, nextPageToken: ANY_TEXT }),
      some({ data: { projects: some({ nodes: two }) } }),
      some({ name: expect.stringMatching(/^wallets\//), password: '' }),
      some({ data: { updateWallet: { wallet: some({ name: expect.stringMatching(/^wallets\//) }) } } }),
      some({ name: expect.stringMatching(/^apps\//), privateKey: expect.stringMatching(/^paw_key_/) }),
      some({ data: { createApp: some({ privateKey: expect.stringMatching(/^paw_key_/) }) } }),
      some({ accessToken: expect.stringMatching(/^paw_app_/), app: some({ privateKey: '' }) }),
      some({ data: { signIn: some({ accessToken: expect.stringMatching(/^paw_app_/) }) } }),
    ];
    expect(responses).toEqual(expect.arrayContaining(expected));
    expect(responses).toHaveLength(expected.length);
  });

  test('prints the URL of the console with a valid token first', async () => {
    const [, url = '', token] =
      /^(http:\/\/127\.0\.0\.1:\d+)\/console#token=(paw_acct_\w+)\n/.exec(text) ?? [];
    const { status } = await send(`${url}/project/projects`, 'GET', token);
    expect(status).toBe(200);
  });

  test('prints the URLs of pages that exist', async () => {
    const pages = [...text.matchAll(/^(http\S+)/gm)].map(([, page = '']) => page);
    expect(pages.map((page) => new URL(page).pathname)).toEqual([
      '/console',
      '/graphiql',
      '/reference',
      '/graphql',
    ]);
    for (const page of pages) {
      const { status, headers } = await send(page, 'GET', undefined, undefined, { accept: 'text/html' });
      expect([status, headers.get('content-type')], page).toEqual([
        200,
        expect.stringMatching(/^text\/html/),
      ]);
    }
  });

  test.each(['http://localhost:5173', 'http://127.0.0.1:3000', 'https://studio.apollographql.com'])(
    'allows the pages of %s',
    async (origin) => {
      const { headers } = await send(new URL('/', text.split('\n')[0]).href, 'GET', undefined, undefined, {
        origin,
      });
      expect(headers.get('access-control-allow-origin')).toBe(origin);
    },
  );

  test('ends with status 0 on SIGINT, and prints nothing else', async () => {
    const { status, stdout } = await running.stop('SIGINT');
    expect(status).toBe(0);
    expect(stdout.trimEnd()).toBe(text.trimEnd());
  });
});

test('paw demo stores its data in data/demo.db by default, and ends with status 0 if it is stopped at once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'paw-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const settings = { PORT: '0', PAW_CONSOLE: 'off', PAW_EXPLORERS: 'off', PAW_SANDBOX: 'off' };
  const running = startPaw(['demo'], settings, folder);
  onTestFinished(async () => {
    await running.stop('SIGKILL');
  });
  const pages = (await running.printed('Stop with')).match(/^http.*/gm);
  expect((await running.stop('SIGTERM')).status).toBe(0);
  expect(existsSync(join(folder, 'data', 'demo.db'))).toBe(true);
  // Without console, explorers and Sandbox the start page is the only page.
  expect(pages).toEqual([expect.stringMatching(/:\d+\/$/)]);
});

test('paw demo allows the pages of localhost', async () => {
  const { url: databaseUrl, remove } = await makeDatabase();
  onTestFinished(remove);
  const running = startPaw(['demo', '--json'], { PORT: '0', DATABASE_URL: databaseUrl });
  onTestFinished(async () => {
    await running.stop('SIGKILL');
  });
  const { url }: Sample = JSON.parse(await running.printed('\n'));
  const origin = 'http://localhost:5173';
  const { headers } = await send(url, 'GET', undefined, undefined, { origin });
  expect(headers.get('access-control-allow-origin')).toBe(origin);
});

test('paw demo ends with status 1 if its instructions are lost, and leaves no token', async () => {
  const { url, remove } = await makeDatabase();
  onTestFinished(remove);
  const result = await pawInShell('"$@" > /dev/full', ['demo'], { PORT: '0', DATABASE_URL: url });
  const stderr = "paw: Standard output can't be written: no space left on device.\n";
  expect(result).toEqual({ status: 1, stdout: '', stderr });
  const tokens = await onDatabase(url, (database) => database.read('SELECT id FROM token'));
  expect(tokens).toEqual([]);
});
