import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { addressOf, MOVED } from '../../../src/pages/moved-pages.ts';
import { restApi, send } from '../../support/both-apis.ts';
import { seedTenant, useGateway } from '../../support/gateway.ts';
import { browse } from '../../support/pages.ts';
import { createApp } from '../../support/requests.ts';

const PUBLIC_URL = 'https://paw.example/gateway';

const gateway = useGateway({ PUBLIC_URL });

const DOCS = readdirSync(new URL('../../../docs', import.meta.url)).filter((file) => file.endsWith('.md'));

const UNLISTED = ['benchmarks.md', 'changelog.md', 'decisions.md', 'security.md'];

const PAGES = [...DOCS, 'changelog.md', 'security.md'];

// Without the page for those who change the code, which is not in the package, and the README of the package.
const LISTED = DOCS.filter((page) => !['architecture.md', 'package.md', ...UNLISTED].includes(page));

/** Reads `/llms.txt`, and puts the URL of the gateway under test in place of its public URL. */
async function readGuide(): Promise<string> {
  const { status, headers, text } = await send(`${gateway.url}/llms.txt`, 'GET');
  expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(text.length).toBeLessThanOrEqual(8192);
  expect(text).toContain(`Base URL: ${PUBLIC_URL}\n`);
  expect(text).not.toContain('127.0.0.1');
  return text.replaceAll(PUBLIC_URL, gateway.url);
}

test('every request in llms.txt works', async () => {
  const { token, wallets } = await seedTenant(gateway, { wallets: 1 });
  const api = restApi(() => gateway.url);
  const { name, privateKey } = await createApp(api, token);
  const guide = (await readGuide())
    .replaceAll('apps/<ULID>', name)
    .replaceAll('wallets/<ULID>', wallets[0] ?? '')
    .replaceAll('<private key>', privateKey);
  const curls = [...guide.matchAll(/^ {4}(curl .*)$/gm)].map(([, line = '']) => line);
  const env = { ...process.env, PAW_TOKEN: token };
  const run = async (line: string) => {
    const { stdout } = await promisify(execFile)('bash', ['-c', `${line} -s`], { env });
    return Object.keys(JSON.parse(stdout));
  };
  expect(await Promise.all(curls.map(run))).toEqual([
    ['access_token', 'token_type', 'expires_in', 'scope'],
    ['projects', 'nextPageToken'],
    ['name', 'title', 'privateKey', 'active'],
    ['accessToken', 'app'],
    expect.arrayContaining(['name', 'title', 'address']),
  ]);
  const [, body = ''] = /^ {4}(\{"query".*\})$/m.exec(guide) ?? [];
  const { text } = await send(`${gateway.url}/graphql`, 'POST', token, body);
  expect(JSON.parse(text)).toMatchObject({ data: { projects: { nodes: [{ wallets: { nodes: [{}] } }] } } });
});

test('llms.txt links to what the server serves, without a token, and to all pages', async () => {
  const links = [...(await readGuide()).matchAll(/\]\(([^)]+)\)/g)].map(([, url = '']) => url);
  const pages = links.flatMap((url) => url.split(`${gateway.url}/docs/`)[1] ?? []);
  expect(pages.toSorted()).toEqual([...LISTED, 'benchmarks.md', 'decisions.md'].sort());
  for (const url of links) expect((await send(url, 'GET')).status, url).toBe(200);
});

test.each(PAGES)('/docs/%s is served as Markdown, with links to what is served alone', async (page) => {
  const { status, headers, text } = await send(`${gateway.url}/docs/${page}`, 'GET');
  expect([status, headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8']);
  expect(text).toMatch(/^# /);
  const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]*)[^)]*\)/g)].map(([, link]) => link);
  expect(links.filter((link = '') => !PAGES.includes(link))).toEqual([]);
});

test('browsers get the pages as HTML, all in the list, with links and anchors that exist', async () => {
  const { text: list } = await browse(`${gateway.url}/docs`);
  const listed = [...list.matchAll(/href="docs\/([\w-]+\.md)"/g)].map(([, page = '']) => page);
  expect(listed.toSorted()).toEqual(LISTED);
  const api = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8');
  const [, opening = ''] = api.match(/^# .*\n\n([^.]+)\./) ?? [];
  expect(list).toContain(`<p>${opening.replaceAll('\n', ' ')}`);
  const ids = new Map<string, readonly string[]>();
  const links = [...MOVED.values()].map(addressOf);
  for (const page of [...listed, ...UNLISTED]) {
    const { headers, text } = await browse(`${gateway.url}/docs/${page}`);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('vary')).toContain('accept');
    expect(text.includes(`<a href="${page}" aria-current="page">`)).toBe(listed.includes(page));
    const found = [...text.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id);
    expect(new Set(found).size, page).toBe(found.length);
    ids.set(page, found);
    const [, article = ''] = /<article>(.*)<\/article>/s.exec(text) ?? [];
    const hrefs = [...article.matchAll(/ href="([^"]*)"/g)].map(([, href = '']) => href);
    links.push(...hrefs.map((href) => href.replace(/^#/, `${page}#`)));
  }
  expect(links.length).toBeGreaterThan(300);
  for (const link of links.filter((link) => !/^https?:/.test(link))) {
    const [page = '', id] = link.split('#');
    expect(ids.has(page), link).toBe(true);
    if (id) expect(ids.get(page), link).toContain(id);
  }
});

test.each([...MOVED])('the old address %s leads to %s', async (from, to) => {
  const [page, id] = from.split('#');
  if (id !== undefined) {
    const { text } = await browse(`${gateway.url}/docs/${page}.md`);
    expect(text).toContain(`<a class="moved" id="${id}" href="${addressOf(to)}">`);
    return;
  }
  for (const path of [page, `${page}.md`]) {
    const response = await fetch(`${gateway.url}/docs/${path}`, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([308, addressOf(to)]);
  }
});

test.each(['missing.md', 'constructor', 'llms.txt', '..%2FREADME.md', '%2e%2e%2fpackage.json'])(
  '/docs/%s does not exist',
  async (path) => {
    expect((await send(`${gateway.url}/docs/${path}`, 'GET')).status).toBe(404);
  },
);
