// @module-tag needs/chromium
// @module-tag night/browser

import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { expectAccessible } from '../support/accessibility.ts';
import { goTo, startSite, storedBy } from '../support/browser.ts';
import { seedTenant } from '../support/gateway.ts';
import { forwarder, startHttpServer } from '../support/http-server.ts';

/** The operation that lists the projects. */
const LIST = 'GET/project/projects';

const REFERENCE = `/reference#tag/projects/${LIST}`;

const PROJECTS = { projects: [{ title: 'Tenant' }], nextPageToken: '' };

const site = startSite();

test.each([320, 1280])(
  'at %i pixels, the REST reference is accessible, shows errors, sends the token, and stores nothing',
  async (width) => {
    const { token } = await seedTenant(site.gateway);
    const viewport = { width, height: 800 };
    const page = await site.open(REFERENCE, {
      isMobile: width < 400,
      viewport,
      provoked: /status of 401/,
    });
    await openPanel(page);
    expect(await send(page, '401 Unauthorized')).toMatchObject({
      error: { code: 401, status: 'UNAUTHENTICATED', details: [{ reason: 'TOKEN_MISSING' }] },
    });
    await page.getByRole('button', { name: 'Close Client' }).click();
    await page.getByLabel('Bearer token', { exact: true }).fill(token);
    await expectAccessible(page, {
      element: '#reference .operation-description p',
      // Scalar has a second header on a phone.
      known: /^landmark-(?:no-duplicate-banner|unique): <header class="bar">/,
    });
    await openPanel(page);
    expect(await send(page, '200 OK')).toMatchObject(PROJECTS);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    expect(page.url()).not.toContain(token);
    // The reference replaces the local storage. Another page of the gateway shows it.
    await goTo(page, `${site.gateway.url}/`);
    expect(await storedBy(page)).toEqual([]);
  },
);

test('the REST reference works behind a proxy with a path prefix', async () => {
  const { token } = await seedTenant(site.gateway);
  const origin = await startProxy('/prefix');
  const page = await site.newPage({ origins: [origin] });
  await goTo(page, `${origin}/prefix${REFERENCE}`);
  await page.getByLabel('Bearer token', { exact: true }).fill(token);
  await openPanel(page);
  expect(await send(page, '200 OK')).toMatchObject(PROJECTS);
});

/** Opens the panel for a request to list the projects. */
async function openPanel(page: Page): Promise<void> {
  const operation = page.locator(`section[id$="/${LIST}"]`);
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
  const proxy = await startHttpServer(async (request, response) => {
    const { url = '' } = request;
    const { status, headers, body } = await (await forwarder(request))(
      site.gateway.url + url.slice(prefix.length),
    );
    response.writeHead(url.startsWith(prefix) ? status : 404, headers).end(body);
  });
  onTestFinished(proxy.stop);
  return proxy.url;
}
