// @module-tag needs/chromium

import { execFile, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';
import { readContract } from '../../tools/contract/read-contract.ts';
import { graphqlApi } from '../support/both-apis.ts';
import { goTo, startSite } from '../support/browser.ts';
import { freePort } from '../support/free-port.ts';
import { type Gateway, seedTenant, testFolder, testGateway } from '../support/gateway.ts';
import { forwarder, startHttpServer } from '../support/http-server.ts';
import { createApp } from '../support/requests.ts';
import { setRows } from '../support/rows.ts';

const PAGE = readFileSync(new URL('../../docs/browser.md', import.meta.url), 'utf8');

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const TSC = new URL('../../node_modules/typescript/bin/tsc', import.meta.url).pathname;

const [server = ''] = blocks('js');
const [html = ''] = blocks('html');
const [main = '', ...generators] = blocks('ts');

const site = startSite();

test('the application in docs/browser.md lists projects, and gets a new token when its own has ended', async () => {
  const backend = `http://127.0.0.1:${await freePort()}`;
  const scripts: Record<string, string> = {};
  const origin = await serve(scripts, backend);
  const gateway = await testGateway({ PAW_CORS_ORIGINS: origin });
  const define = { 'import.meta.env.VITE_PAW': JSON.stringify(gateway.url) };
  const stdin = { contents: main, loader: 'ts', resolveDir: ROOT } as const;
  const options = { bundle: true, format: 'esm', write: false } as const;
  const { outputFiles } = await build({ ...options, stdin, define, conditions: ['development'] });
  scripts['/main.ts'] = outputFiles[0]?.text ?? '';
  await startBackend(backend, gateway);

  // The browser reports the response with 401.
  const page = await site.newPage({ origins: [gateway.url, origin], provoked: /401/ });
  await goTo(page, origin);
  const items = page.locator('li');
  await items.getByText('Tenant').waitFor();
  await setRows(gateway.database, 'project', { title: 'Renamed' });
  gateway.clock.advance(3_600_000);
  await page.getByRole('button', { name: 'Reload' }).click();
  await items.getByText('Renamed').waitFor();
  expect(await items.count()).toBe(1);
});

test('the types of the page are right', async () => {
  const folder = testFolder();
  writeFileSync(join(folder, 'main.ts'), `${main}\nexport {};\n`);
  // As in the types of Vite.
  writeFileSync(join(folder, 'env.d.ts'), 'interface ImportMeta { readonly env: Record<string, string> }\n');
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ROOT, join(folder, 'node_modules/paw-gateway'));
  const options = '--noEmit --strict --module esnext --lib es2024,dom,dom.iterable --types'.split(' ');
  const resolution =
    '--moduleResolution bundler --customConditions development --allowImportingTsExtensions'.split(' ');
  const files = [...resolution, 'main.ts', 'env.d.ts'];
  const check = promisify(execFile)(process.execPath, [TSC, ...options, '', ...files], {
    cwd: folder,
  });
  expect(await check.catch(({ stdout }) => stdout)).toEqual({ stdout: '', stderr: '' });
});

test('the configurations of the generators name all custom scalars', () => {
  const types = Object.values(readContract().getTypeMap());
  const scalars = types
    .filter(({ astNode }) => astNode?.kind === 'ScalarTypeDefinition')
    .map(({ name }) => name);
  expect(generators).toHaveLength(2);
  for (const generator of generators) {
    const [, listed = ''] = /scalars: \{(.*)\}/.exec(generator) ?? [];
    expect([...listed.matchAll(/(\w+): '?string/g)].map(([, name]) => name)).toEqual(scalars.sort());
  }
});

function blocks(language: string): readonly string[] {
  return [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, code = '']) => code,
  );
}

/** Serves the page and its scripts, and forwards `/token` as Vite does. Returns the origin. */
async function serve(scripts: Readonly<Record<string, string>>, backend: string): Promise<string> {
  const vite = await startHttpServer(async (request, response) => {
    const { url = '' } = request;
    if (url !== '/token') {
      const script = scripts[url];
      response.setHeader('content-type', script === undefined ? 'text/html' : 'text/javascript');
      return response.end(script ?? html);
    }
    const { status, body } = await (await forwarder(request))(backend + url);
    return response.writeHead(status).end(body);
  });
  onTestFinished(vite.stop);
  return vite.url;
}

/** Starts the server of the application. */
async function startBackend(url: string, gateway: Gateway): Promise<void> {
  const { token } = await seedTenant(gateway);
  const { name, privateKey } = await createApp(
    graphqlApi(() => gateway.url),
    token,
  );
  const child = spawn(process.execPath, ['--input-type=module'], {
    env: {
      PAW_URL: gateway.url,
      PAW_CLIENT_ID: name,
      PAW_CLIENT_SECRET: privateKey,
      PORT: new URL(url).port,
    },
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  onTestFinished(() => void child.kill());
  child.stdin.end(server);
  await expect.poll(async () => (await fetch(url)).status).toBe(404);
}
