import { execFile } from 'node:child_process';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { goTo, startSite, storedBy } from '../support/browser.ts';
import { seedTenant } from '../support/gateway.ts';

const OPERATIONS = [
  'POST/auth/apps',
  'POST/auth/accounts:signinIdentity',
  'PATCH/wallet/{wallet_name}',
  'GET/project/projects',
] as const;

const TAGS = { auth: 'apps', wallet: 'wallets', project: 'projects' } as const;

const LIST = 'GET/project/projects';

const SCREEN = { width: 1280, height: 800 };

const PROJECTS = { projects: [{ title: 'Tenant' }], nextPageToken: '' };

const site = startSite();

test.each(OPERATIONS)('%s takes at most two screens, with its responses and headers folded', async (name) => {
  const page = await site.open(pathOf(name), { viewport: SCREEN });
  const operation = await findOperation(page, name);
  const responses = operation.getByRole('list', { name: 'Responses' });
  const texts = await responses.getByRole('button').allInnerTexts();
  expect(texts.map((text) => text.split(/\s/, 1)[0])).toEqual(
    expect.arrayContaining(['200', '400', '401', '429', '500', '503', 'default']),
  );
  expect(await responses.locator('[aria-expanded="true"]').count()).toBe(0);
  expect(await operation.getByRole('heading', { name: 'Headers' }).count()).toBe(1);
  expect(await operation.getByText('RateLimit-Policy').count()).toBe(0);
  expect((await operation.boundingBox())?.height).toBeLessThanOrEqual(2 * SCREEN.height);

  const error = responses.getByText('Source: AIP-193');
  expect(await error.count()).toBe(0);
  await responses.getByRole('button', { name: '401' }).click();
  await error.waitFor();
});

test('the REST reference shows errors and responses, sends the entered token, and stores nothing', async () => {
  const { token } = await seedTenant(site.gateway);
  const page = await site.open(pathOf(LIST), { provoked: /status of 401/ });
  await openPanel(page);
  expect(await send(page, '401 Unauthorized')).toMatchObject({
    error: { code: 401, status: 'UNAUTHENTICATED', details: [{ reason: 'TOKEN_MISSING' }] },
  });
  await page.getByRole('button', { name: 'Close Client' }).click();
  await page.getByLabel('Bearer token', { exact: true }).fill(token);
  await openPanel(page);
  expect(await send(page, '200 OK')).toMatchObject(PROJECTS);
  expect(page.url()).not.toContain(token);
  // The reference replaces the local storage. Another page of the gateway shows it.
  await goTo(page, `${site.gateway.url}/`);
  expect(await storedBy(page)).toEqual([]);
});

test('the request in the REST reference contains the entered token, and works unchanged in a shell', async () => {
  const { token } = await seedTenant(site.gateway);
  const page = await site.open(pathOf(LIST));
  const operation = await findOperation(page, LIST);
  const shown = operation.getByRole('group', { name: 'Code sample: Shell Curl' });
  await shown.getByText('Bearer YOUR_SECRET_TOKEN').waitFor();
  await page.getByLabel('Bearer token', { exact: true }).fill(token);
  await shown.getByText(`Bearer ${token}`).waitFor();
  await shown.hover();
  await operation.getByRole('button', { name: 'Copy cURL code' }).click();
  // Reading the clipboard would need a permission. Pasting does not.
  await page.evaluate('document.body.append(document.createElement("textarea"))');
  const pasted = page.locator('body > textarea');
  await pasted.press('Control+V');
  const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', await pasted.inputValue()]);
  expect(JSON.parse(stdout)).toMatchObject(PROJECTS);
});

test.each([320, 375])('the REST reference sends requests from a screen of %i pixels', async (width) => {
  const { token } = await seedTenant(site.gateway);
  const page = await site.open(pathOf(LIST), { isMobile: true, viewport: { width, height: 800 } });
  await page.getByLabel('Bearer token', { exact: true }).fill(token);
  await openPanel(page);
  expect(await send(page, '200 OK')).toMatchObject(PROJECTS);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
});

test('the REST reference works behind a proxy with a path prefix', async () => {
  const { token } = await seedTenant(site.gateway);
  const origin = await startProxy('/prefix');
  const page = await site.newPage({ origins: [origin] });
  await goTo(page, `${origin}/prefix${pathOf(LIST)}`);
  await page.getByLabel('Bearer token', { exact: true }).fill(token);
  await openPanel(page);
  expect(await send(page, '200 OK')).toMatchObject(PROJECTS);
});

function pathOf(name: (typeof OPERATIONS)[number]): string {
  const [, folder = ''] = name.split('/');
  return `/docs#tag/${TAGS[folder as keyof typeof TAGS]}/${name}`;
}

/** The section of an operation, as soon as it is complete. */
async function findOperation(page: Page, name: string): Promise<Locator> {
  const operation = page.locator(`section[id$="/${name}"]`);
  await operation.getByRole('list', { name: 'Responses' }).waitFor();
  return operation;
}

/** Opens the panel for a request to list the projects. */
async function openPanel(page: Page): Promise<void> {
  const operation = await findOperation(page, LIST);
  await operation.getByRole('button', { name: 'Test Request' }).click();
}

/** Sends the request of the panel, and reads the response that it shows. */
async function send(page: Page, status: string): Promise<unknown> {
  const panel = page.getByRole('dialog');
  await panel.getByRole('button', { name: 'Send get request' }).click();
  const response = panel.getByRole('region', { name: 'Response' });
  await response.getByText(status).waitFor();
  return JSON.parse(await response.locator('.cm-content').innerText());
}

/** Forwards the requests below a path prefix to the gateway. Returns the origin. */
async function startProxy(prefix: string): Promise<string> {
  const proxy = createServer((incoming, answer) => {
    const { url = '', method, headers } = incoming;
    const forwarded = request(site.gateway.url + url.slice(prefix.length), { method, headers });
    forwarded.on('response', (response) => {
      answer.writeHead(url.startsWith(prefix) ? (response.statusCode ?? 502) : 404, response.headers);
      response.pipe(answer);
    });
    incoming.pipe(forwarded);
  });
  onTestFinished(() => void proxy.close());
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}
