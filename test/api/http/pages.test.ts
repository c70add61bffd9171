import { expect, test } from 'vitest';
import { examplesFor } from '../../../console/explorers/examples.ts';
import { VERSION } from '../../../src/config.ts';
import { graphqlApi, type HttpResponse, send } from '../../support/both-apis.ts';
import { seedTenant, testGateway, useGateway } from '../../support/gateway.ts';
import { browse, EVERYWHERE, elementsOf, hashes, linksIn, policyOf, valuesOf } from '../../support/pages.ts';
import { createApp, graphqlBody, keyOf } from '../../support/requests.ts';

const CONSOLE = '/console';
const EXPLORERS = ['/graphiql', '/reference'];

const production = { NODE_ENV: 'production' };

const gateway = useGateway();

test.each([
  { when: 'by default', settings: {}, pages: [CONSOLE, ...EXPLORERS, '/graphql'] },
  { when: 'in production', settings: production, pages: [] as string[] },
  { when: 'with PAW_EXPLORERS', settings: { ...production, PAW_EXPLORERS: 'on' }, pages: EXPLORERS },
  { when: 'with PAW_CONSOLE', settings: { ...production, PAW_CONSOLE: 'on' }, pages: [CONSOLE] },
])('$when, the start page links to all existing pages and to no others', async ({ settings, pages }) => {
  const { url } = await testGateway(settings);
  const links = linksIn((await browse(`${url}/`)).text);
  expect(links).toEqual([...EVERYWHERE, ...pages].toSorted());
  for (const path of links) expect((await browse(url + path)).status, path).toBe(200);
  for (const path of [CONSOLE, ...EXPLORERS]) {
    const isServed = pages.includes(path);
    expect((await browse(url + path)).status, path).toBe(isServed ? 200 : 404);
    // The files of the explorers are not served for the console alone.
    if (path === CONSOLE && !isServed) continue;
    const files = assetsIn((await open(path)).text);
    for (const file of files) expect((await browse(url + file)).status, file).toBe(isServed ? 200 : 404);
  }
  const icon = await browse(`${url}/favicon.ico`);
  expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/x-icon']);
  expect(icon.headers.get('cache-control')).toBe('public, max-age=86400');
});

test.each([
  ['/', (html: string) => ({ 'style-src': styleHash(html) })],
  ['/docs', searchPolicy],
  ['/docs/api.md', searchPolicy],
  [
    CONSOLE,
    (html: string) => ({
      'style-src': `${styleHash(html)} 'self'`,
      'script-src': `'self'`,
      'connect-src': `'self'`,
      'require-trusted-types-for': `'script'`,
      'trusted-types': `'none'`,
    }),
  ],
  ['/graphiql', explorerPolicy],
  ['/graphql', sandboxPolicy],
  ['/reference', explorerPolicy],
])('%s has a policy that allows its own files, and nothing else', async (path, policy) => {
  const { headers, text } = await open(path);
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
  expect(policyOf(headers)).toEqual({
    'default-src': `'none'`,
    'base-uri': `'none'`,
    'form-action': `'none'`,
    'frame-ancestors': `'none'`,
    'img-src': `'self' data:`,
    ...policy(text),
  });
  expect(text).not.toMatch(/\son\w+=|\sstyle=|javascript:/i);
});

test.each(EXPLORERS)('%s loads only files of the gateway, which a browser keeps', async (path) => {
  const assets = await loadAssets(path);
  expect(assets.size).toBeGreaterThan(1);
  for (const [file, { status, headers, text }] of assets) {
    expect(status, file).toBe(200);
    const [, type = ''] = /-[A-Z0-9]{8}\.(js|css)$/.exec(file) ?? [];
    const mediaType = { js: 'text/javascript', css: 'text/css' }[type];
    expect(Object.fromEntries(headers), file).toMatchObject({
      'content-type': `${mediaType}; charset=utf-8`,
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    });
    if (type === 'css') expect(text, file).not.toMatch(/@import|url\(["']?(?!["']?(data:|#))/);
  }
});

test.each(EXPLORERS)(
  '%s has a new nonce in every response, and a field for a token without autocompletion',
  async (path) => {
    const [{ text }, other] = [await open(path), await open(path)];
    const nonceOf = (html: string) => / nonce="([\w+/]{22}==)"/.exec(html)?.[1];
    expect(nonceOf(text)).toBeTruthy();
    expect(nonceOf(text)).not.toBe(nonceOf(other.text));
    expect(text).toContain('<input id="token" type="password" autocomplete="off"');
    expect(text).not.toContain('<form');
  },
);

test.each([
  { when: 'by default', settings: {}, pages: ['console', 'graphiql', 'reference', 'sandbox'] },
  { when: 'in production', settings: production, pages: [] as string[] },
])('$when, programs get the links of the start page as JSON', async ({ settings, pages }) => {
  const publicUrl = 'https://paw.example/gateway';
  const { url } = await testGateway({ ...settings, PUBLIC_URL: publicUrl });
  const { headers, text } = await get(url, 'application/json');
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'access-control-allow-origin': '*',
  });
  const { links, ...rest } = JSON.parse(text);
  expect(rest).toEqual({ name: 'PAW gateway', version: VERSION });
  const everywhere = ['api', 'documentation', 'gettingStarted', 'graphql', 'liveness', 'llms', 'openapi'];
  expect(Object.keys(links).sort()).toEqual([...everywhere, 'readiness', 'schema', ...pages].sort());
  for (const link of Object.values<string>(links)) {
    expect(link.startsWith(`${publicUrl}/`)).toBe(true);
    // Without a query, GraphQL has nothing to execute.
    const status = link.endsWith('/graphql') ? 400 : 200;
    expect((await send(link.replace(publicUrl, url), 'GET')).status, link).toBe(status);
  }
});

test.each([
  ['application/json', 'application/json'],
  ['text/html', 'text/html'],
  ['application/json;q=0.5, text/html', 'text/html'],
  ['*/*', 'application/json'],
  ['image/png', 'application/json'],
])('a client that accepts %s gets / as %s', async (accept, mediaType) => {
  const { status, headers } = await get(gateway.url, accept);
  expect([status, headers.get('content-type')]).toEqual([200, `${mediaType}; charset=utf-8`]);
  expect(headers.get('vary')).toMatch(/(^|, )accept$/);
});

test.each(['/docs', '/docs/api.md'])('the search of %s is there in production', async (page) => {
  const { url } = await testGateway(production);
  const [, file = ''] = / data-script="([^"]+)"/.exec((await browse(url + page)).text) ?? [];
  expect(file).toContain('assets/');
  expect((await browse(new URL(file, url + page).href)).status).toBe(200);
});

test('the examples of GraphiQL are valid, and work with a wallet that exists and the key of an app', async () => {
  const { token, wallets } = await seedTenant(gateway, { wallets: 1 });
  const run = async ({ query, variables }: ReturnType<typeof examplesFor>[number]) => {
    const { errors } = await graphqlBody(gateway.url, token, query, JSON.parse(variables));
    return errors ? errors[0].extensions.reason : 'done';
  };
  const runAll = (examples: ReturnType<typeof examplesFor>) => Promise.all(examples.map(run));
  const api = graphqlApi(() => gateway.url);
  const wallet = { name: wallets[0] ?? '', title: 'Wallet 1', description: '' };
  const app = keyOf(await createApp(api, token));
  expect(await runAll(examplesFor())).toEqual(['done', 'RESOURCE_NOT_FOUND', 'done', 'INVALID_CREDENTIALS']);
  expect(await runAll(examplesFor(wallet, app))).toEqual(['done', 'done', 'done', 'done']);
});

function open(path: string): Promise<HttpResponse> {
  return browse(gateway.url + path);
}

function get(url: string, accept: string): Promise<HttpResponse> {
  return send(`${url}/`, 'GET', undefined, undefined, { accept });
}

/** Loads all files that a page references, directly or indirectly. */
async function loadAssets(path: string): Promise<ReadonlyMap<string, HttpResponse>> {
  const loaded = new Map<string, HttpResponse>();
  const waiting = assetsIn((await open(path)).text);
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (loaded.has(file)) continue;
    const answer = await open(file);
    loaded.set(file, answer);
    const imports = [...answer.text.matchAll(/(?:from|import|import\()["']\.\/([^"']+)["']/g)];
    waiting.push(...imports.map(([, name]) => `/assets/${name}`));
  }
  return loaded;
}

function styleHash(html: string): string {
  return hashes(elementsOf('style', html));
}

function textPolicy(html: string): object {
  return { 'style-src': styleHash(html), 'script-src': hashes(elementsOf('script', html)) };
}

function searchPolicy(html: string): object {
  return { ...textPolicy(html), 'script-src': `${hashes(elementsOf('script', html))} 'self'` };
}

function explorerPolicy(html: string): object {
  return {
    'script-src': `'self'`,
    'worker-src': `'self'`,
    'connect-src': `'self'`,
    'font-src': 'data:',
    'style-src': `${styleHash(html)} 'self' 'nonce-${/ nonce="([^"]+)"/.exec(html)?.[1]}'`,
    'style-src-attr': `'unsafe-inline'`,
  };
}

function sandboxPolicy(html: string): object {
  const script =
    'https://embeddable-sandbox.cdn.apollographql.com/v2/embeddable-sandbox.umd.production.min.js';
  return {
    'style-src': styleHash(html),
    'script-src': `${script} ${hashes(elementsOf('script', html))}`,
    'frame-src': 'https://sandbox.embed.apollographql.com',
    'connect-src': `'self'`,
  };
}

/** The paths of the files that a page loads. */
function assetsIn(page: string): string[] {
  return ['src', 'href', 'data-editor-worker', 'data-json-worker', 'data-graphql-worker']
    .flatMap((name) => valuesOf(name, page))
    .filter((path) => path.startsWith('/assets/'));
}
