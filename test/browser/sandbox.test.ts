// @module-tag needs/chromium

import { getIntrospectionQuery } from 'graphql';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible } from '../support/accessibility.ts';
import { goTo, startSite } from '../support/browser.ts';
import { seedTenant } from '../support/gateway.ts';

const CDN = 'https://embeddable-sandbox.cdn.apollographql.com';
const FRAME = 'https://sandbox.embed.apollographql.com';

const SCHEMA = { query: getIntrospectionQuery() };

const OFFLINE = 'Apollo Sandbox loads from the internet.';

// Instead of Apollo's own script, which opens a frame and sends its requests to the endpoint.
const SCRIPT = `window.EmbeddedSandbox = class {
  constructor(options) {
    window.sandboxOptions = options;
    const frame = document.createElement('iframe');
    frame.src = '${FRAME}/sandbox/explorer';
    document.querySelector(options.target).append(frame);
  }
}`;

const PLACEHOLDER = `<!doctype html><html lang="en"><title>Sandbox</title><p>The Sandbox</p>
<script>parent.postMessage({ name: 'ExplorerListeningForHandshake' }, '*')</script></html>`;

/** Replacements for the files that the Sandbox page loads from the internet. */
const STAND_INS: Readonly<Record<string, { readonly contentType: string; readonly body: string }>> = {
  [CDN]: { contentType: 'text/javascript', body: SCRIPT },
  [FRAME]: { contentType: 'text/html', body: PLACEHOLDER },
};

const site = startSite();

test('Sandbox opens with an operation that works when the placeholder of its header is replaced', async () => {
  const { token } = await seedTenant(site.gateway, { projects: 3, wallets: 1 });
  const page = await openSandbox(Object.keys(STAND_INS));
  await page.frameLocator('iframe').getByText('The Sandbox').waitFor();
  const options = await page.evaluate<Options>('window.sandboxOptions');
  const { document, ...state } = options.initialState;
  expect({ ...options, initialState: state }).toEqual({
    target: '#sandbox',
    initialEndpoint: `${site.gateway.url}/graphql`,
    initialState: {
      headers: { Authorization: 'Bearer <token>' },
      includeCookies: false,
      pollForSchemaUpdates: false,
    },
    hideCookieToggle: true,
    endpointIsEditable: false,
    sendOperationHeadersInIntrospection: false,
    runTelemetry: false,
    allowDynamicStyles: false,
  });
  expect(await post(page, {}, SCHEMA)).toMatchObject({
    data: { __schema: { queryType: { name: 'Query' } } },
  });
  const headers = { authorization: state.headers.Authorization.replace('<token>', token) };
  expect(await post(page, headers, { query: document })).toMatchObject({
    data: { projects: { totalCount: 3, nodes: [{ wallets: { nodes: [{}] } }, {}, {}] } },
  });
  await expect.poll(() => page.getByText(OFFLINE).count()).toBe(0);
  await page.keyboard.press('Tab');
  await expectAccessible(page);
});

test.each([
  { missing: 'its script', origins: [], requested: [CDN] },
  { missing: 'its frame', origins: [CDN], requested: [CDN, FRAME] },
])('without $missing, the page leads to GraphiQL', async ({ origins, requested }) => {
  const page = await openSandbox(origins, requested);
  await page.getByText(OFFLINE).waitFor();
  await page.keyboard.press('Tab');
  await expectAccessible(page);
  await page.getByRole('main').getByRole('link', { name: 'GraphiQL' }).click();
  await expect.poll(() => page.url()).toBe(`${site.gateway.url}/graphiql`);
});

type Options = {
  readonly initialState: { readonly document: string; readonly headers: { readonly Authorization: string } };
};

/** Opens the page with access to the stand-ins of these origins, and to no others. */
async function openSandbox(origins: readonly string[], requested = origins): Promise<Page> {
  const page = await site.newPage({ origins: requested, provoked: /net::ERR_FAILED/ });
  await page.route(/^https:/, async (route) => {
    const { origin } = new URL(route.request().url());
    const standIn = origins.includes(origin) ? STAND_INS[origin] : undefined;
    await (standIn ? route.fulfill(standIn) : route.abort());
  });
  await goTo(page, `${site.gateway.url}/graphql`);
  return page;
}

function post(page: Page, headers: Readonly<Record<string, string>>, body: object): Promise<unknown> {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'apollo-require-preflight': 'true', ...headers },
    body: JSON.stringify(body),
  };
  return page.evaluate(
    `fetch('${site.gateway.url}/graphql', ${JSON.stringify(init)}).then((response) => response.json())`,
  );
}
