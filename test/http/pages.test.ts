import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type HttpResponse, send } from '../support/apis.ts';
import { type Gateway, makeDatabase, startGateway } from '../support/gateway.ts';
import { BROWSER, elementsOf, hashes, policyOf, request } from '../support/pages.ts';
import { startProgram } from '../support/paw.ts';

const SETTINGS = {
  'by default': {},
  'in production': { NODE_ENV: 'production' },
  'in production with PAW_EXPLORERS=on': { NODE_ENV: 'production', PAW_EXPLORERS: 'on' },
  'in production with PAW_CONSOLE=on': { NODE_ENV: 'production', PAW_CONSOLE: 'on' },
} as const;

type Setting = keyof typeof SETTINGS;

const EXPLORERS = ['/graphiql', '/docs'] as const;
const GUIDES = ['/docs/api.md', '/docs/browser.md', '/docs/clients.md'];
const EVERYWHERE = ['/', ...GUIDES, '/healthz', '/openapi.json', '/readyz', '/schema.graphql'];

const LINKED: Readonly<Record<Setting, readonly string[]>> = {
  'by default': [...EVERYWHERE, '/console', ...EXPLORERS, '/graphql'],
  'in production': EVERYWHERE,
  'in production with PAW_EXPLORERS=on': [...EVERYWHERE, ...EXPLORERS],
  'in production with PAW_CONSOLE=on': [...EVERYWHERE, '/console'],
};

const SETTING_NAMES = Object.keys(SETTINGS) as readonly Setting[];
const WITH_CONSOLE = SETTING_NAMES.filter((setting) => LINKED[setting].includes('/console'));
const WITH_EXPLORERS = SETTING_NAMES.filter((setting) => LINKED[setting].includes('/docs'));
const WITHOUT_EXPLORERS = SETTING_NAMES.filter((setting) => !WITH_EXPLORERS.includes(setting));

const gateways = new Map<Setting, Gateway>();

beforeAll(async () => {
  const starting = SETTING_NAMES.map(async (name) => gateways.set(name, await startGateway(SETTINGS[name])));
  await Promise.all(starting);
  return async () => {
    await Promise.all([...gateways.values()].map(({ stop }) => stop()));
  };
});

describe('the start page', () => {
  test.each(SETTING_NAMES)('%s links to all existing pages and to no others', async (setting) => {
    const links = valuesOf('href', (await browse(setting, '/')).text).filter(isPath);
    expect([...new Set(links)].toSorted()).toEqual(LINKED[setting].toSorted());
    for (const link of links) expect((await browse(setting, link)).status, link).toBe(200);
  });

  test('has a policy that allows its script, its style and images of its origin, and nothing else', async () => {
    const { headers, text } = await browse('in production', '/');
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    const [script, style] = ['script', 'style'].map((name) => hashes(elementsOf(name, text)));
    expect(policyOf(headers)).toEqual({
      'default-src': `'none'`,
      'base-uri': `'none'`,
      'form-action': `'none'`,
      'frame-ancestors': `'none'`,
      'img-src': `'self' data:`,
      'style-src': style,
      'script-src': script,
    });
    expect(text).not.toMatch(/\son\w+=|\sstyle=|javascript:/i);
  });

  test('shows the public URL as text', async () => {
    const gateway = await startGateway({ PUBLIC_URL: "https://paw.example/a&lt;'b" });
    onTestFinished(gateway.stop);
    const { text } = await send(`${gateway.url}/`, 'GET');
    expect(text).toContain('<code>PAW=<span data-url>https://paw.example/a&#38;lt;&#39;b</span>\n');
  });
});

test.each(SETTING_NAMES)('the icon for documents exists %s', async (setting) => {
  const { status, headers } = await browse(setting, '/favicon.ico');
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('image/x-icon');
  expect(headers.get('cache-control')).toBe('public, max-age=86400');
});

describe.each(EXPLORERS)('%s', (path) => {
  test.each(WITH_EXPLORERS)('exists %s, and loads only files of the gateway', async (setting) => {
    const { status, headers, text } = await browse(setting, path);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-store');
    const assets = await loadAssets(setting, text);
    expect(assets.size).toBeGreaterThan(1);
    for (const [file, { status, headers }] of assets) {
      expect(status, file).toBe(200);
      expect(file).toMatch(/-[A-Z0-9]{8}\.(js|css)$/);
      expect(headers.get('content-type')).toBe(
        file.endsWith('.js') ? 'text/javascript; charset=utf-8' : 'text/css; charset=utf-8',
      );
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
    for (const [file, { text }] of assets) {
      if (file.endsWith('.css')) expect(text, file).not.toMatch(/@import|url\(["']?(?!["']?(data:|#))/);
    }
  });

  test.each(WITHOUT_EXPLORERS)('does not exist %s, nor do its files', async (setting) => {
    const { text } = await browse('by default', path);
    for (const absent of [path, ...new Set(assetsIn(text))]) {
      expect((await browse(setting, absent)).status, absent).toBe(404);
    }
  });

  test('has a field for a bearer token without autocompletion', async () => {
    const { text } = await browse('by default', path);
    expect(text).toMatch(
      /<label class="token">Bearer token\s<input id="token" type="password" autocomplete="off"/,
    );
    expect(text).not.toContain('<form');
  });

  test('has a policy that allows only its own scripts and styles', async () => {
    const { headers, text } = await browse('by default', path);
    const policy = policyOf(headers);
    const nonce = / nonce="([^"]+)"/.exec(text)?.[1];
    expect(policy).toMatchObject({
      'default-src': `'none'`,
      'base-uri': `'none'`,
      'form-action': `'none'`,
      'frame-ancestors': `'none'`,
      'img-src': `'self' data:`,
      'script-src': `'self'`,
      'connect-src': `'self'`,
      'style-src': `${hashes(elementsOf('style', text))} 'self' 'nonce-${nonce}'`,
    });
    expect(text).not.toMatch(/\son\w+=|\sstyle=|javascript:|<script>/i);
  });

  test('has a new nonce in every response', async () => {
    const policies = [await browse('by default', path), await browse('by default', path)].map(
      ({ headers }) => policyOf(headers)['style-src'],
    );
    expect(policies[0]).toMatch(/'nonce-[\w+/]{22}=='/);
    expect(policies[0]).not.toBe(policies[1]);
  });
});

describe('/console', () => {
  test.each(WITH_CONSOLE)('exists %s, with its two files', async (setting) => {
    const { status, headers, text } = await browse(setting, '/console');
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    const assets = await loadAssets(setting, text);
    expect([...assets.values()].map((file) => file.status)).toEqual([200, 200]);
  });

  test.each(['in production', 'in production with PAW_EXPLORERS=on'] as const)(
    'does not exist %s',
    async (setting) => {
      expect((await browse(setting, '/console')).status).toBe(404);
    },
  );

  test('has a policy that allows its own files and the gateway alone, and no text as a script', async () => {
    const { headers, text } = await browse('by default', '/console');
    expect(policyOf(headers)).toEqual({
      'default-src': `'none'`,
      'base-uri': `'none'`,
      'form-action': `'none'`,
      'frame-ancestors': `'none'`,
      'img-src': `'self' data:`,
      'style-src': `${hashes(elementsOf('style', text))} 'self'`,
      'script-src': `'self'`,
      'connect-src': `'self'`,
      'require-trusted-types-for': `'script'`,
      'trusted-types': `'none'`,
    });
    expect(text).not.toMatch(/\son\w+=|\sstyle=|javascript:|<script>/i);
  });

  test('takes at most 25 KB of compressed scripts and styles', async () => {
    const assets = await loadAssets('by default', (await browse('by default', '/console')).text);
    const sizes = [...assets.keys()].map(async (path) => {
      const response = await request(gatewayWith('by default').url, {
        path,
        method: 'HEAD',
        headers: { 'accept-encoding': 'br' },
      });
      return Number(response.headers['content-length']);
    });
    expect(sizes).toHaveLength(2);
    expect((await Promise.all(sizes)).reduce((sum, size) => sum + size)).toBeLessThanOrEqual(25_000);
  });
});

describe('a program whose browser assets have not been built', () => {
  let folder: string;
  const start = (words: readonly string[], settings: Readonly<Record<string, string>>) =>
    startProgram(
      process.execPath,
      [join(folder, 'src', 'main.js'), ...words],
      { PORT: '0', ...settings },
      folder,
    );

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'paw-test-assets-'));
    cpSync('src', join(folder, 'src'), {
      recursive: true,
      filter: (path) => !/pages[\\/]assets$/.test(path),
    });
    for (const name of ['docs', 'node_modules', 'package.json', 'schema']) {
      symlinkSync(resolve(name), join(folder, name));
    }
    return () => rmSync(folder, { recursive: true, force: true });
  });

  test('serves everything except the console and the explorers', async () => {
    const { url: databaseUrl, remove } = await makeDatabase();
    onTestFinished(remove);
    const running = start(['demo', '--json'], { DATABASE_URL: databaseUrl });
    onTestFinished(async () => {
      await running.stop('SIGKILL');
    });
    const { url } = JSON.parse(await running.printed('\n'));
    const links = valuesOf('href', (await send(`${url}/`, 'GET')).text).filter(isPath);
    expect([...new Set(links)].toSorted()).toEqual([...EVERYWHERE, '/graphql'].toSorted());
    expect((await send(`${url}/graphiql`, 'GET')).status).toBe(404);
  });

  test('prints no URL of the console when it creates an account', async () => {
    const { url: databaseUrl, remove } = await makeDatabase();
    onTestFinished(remove);
    const words = ['init', '--title', 'Acme', '--json'];
    const { status, stdout } = await start(words, { DATABASE_URL: databaseUrl }).ended;
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ consoleUrl: '' });
  });

  test.each(['PAW_CONSOLE', 'PAW_EXPLORERS'])(
    'does not start with %s=on, and prints the reason in one line',
    async (name) => {
      const { status, stdout, stderr } = await start(['serve'], { [name]: 'on' }).ended;
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
      expect(stderr).toBe(`paw: ${name}=on needs the browser assets. Run "npm run build".\n`);
    },
  );
});

function gatewayWith(setting: Setting): Gateway {
  const gateway = gateways.get(setting);
  if (gateway === undefined) throw new Error(`There is no gateway ${setting}.`);
  return gateway;
}

function browse(setting: Setting, path: string): Promise<HttpResponse> {
  return send(gatewayWith(setting).url + path, 'GET', undefined, undefined, BROWSER);
}

/** Loads all files that a page references, directly or indirectly. */
async function loadAssets(setting: Setting, page: string): Promise<ReadonlyMap<string, HttpResponse>> {
  const loaded = new Map<string, HttpResponse>();
  const waiting = assetsIn(page);
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (loaded.has(path)) continue;
    const answer = await browse(setting, path);
    loaded.set(path, answer);
    const imports = [...answer.text.matchAll(/(?:from|import|import\()["']\.\/([^"']+)["']/g)];
    waiting.push(...imports.map(([, file]) => `/assets/${file}`));
  }
  return loaded;
}

/** The paths of the files that a page loads. */
function assetsIn(page: string): string[] {
  return ['src', 'href', 'data-editor-worker', 'data-json-worker', 'data-graphql-worker']
    .flatMap((name) => valuesOf(name, page))
    .filter((path) => path.startsWith('/assets/'));
}

function isPath(link: string): boolean {
  return link.startsWith('/');
}

/** The values of an attribute. A relative URL is returned as a path. */
function valuesOf(attribute: string, html: string): string[] {
  const values = [...html.matchAll(new RegExp(`\\s${attribute}="([^"]*)"`, 'g'))].map(
    ([, value = '']) => value,
  );
  // URLs are relative, for a gateway behind a path prefix, and never point to another host.
  for (const value of values) expect(value).toMatch(/^(\.\/|data:)/);
  return values.map((value) => value.replace(/^\.\//, '/'));
}
