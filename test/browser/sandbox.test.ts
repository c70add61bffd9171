// @module-tag needs/chromium

import { getIntrospectionQuery } from 'graphql';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { goTo, startSite } from '../support/browser.ts';
import { seedTenant } from '../support/gateway.ts';

const CDN = 'https://embeddable-sandbox.cdn.apollographql.com';

const SCHEMA = { query: getIntrospectionQuery() };
const PROJECTS = { query: '{ projects { totalCount } }' };

// Instead of Apollo's own script, which opens a frame and sends its requests to the endpoint.
const SCRIPT = 'window.EmbeddedSandbox = class { constructor(options) { window.sandboxOptions = options; } }';

/** Replacements for the files that the Sandbox page loads from the internet. */
const STAND_INS: Readonly<Record<string, { readonly contentType: string; readonly body: string }>> = {
  [CDN]: { contentType: 'text/javascript', body: SCRIPT },
  'https://fonts.googleapis.com': { contentType: 'text/css', body: '' },
  'https://apollo-server-landing-page.cdn.apollographql.com': { contentType: 'application/json', body: '{}' },
};

const site = startSite();

test('Sandbox opens on the endpoint, and reads the schema without a token and data with one', async () => {
  const { token } = await seedTenant(site.gateway, { projects: 3 });
  const page = await site.newPage({ origins: Object.keys(STAND_INS) });
  await page.route(/^https:/, async (route) => {
    const standIn = STAND_INS[new URL(route.request().url()).origin];
    await (standIn ? route.fulfill(standIn) : route.abort());
  });
  await goTo(page, `${site.gateway.url}/graphql`);
  expect(await page.evaluate('window.sandboxOptions')).toMatchObject({
    initialEndpoint: `${site.gateway.url}/graphql`,
    endpointIsEditable: false,
    runTelemetry: false,
  });
  expect(await post(page, {}, SCHEMA)).toMatchObject({
    data: { __schema: { queryType: { name: 'Query' } } },
  });
  expect(await post(page, { authorization: `Bearer ${token}` }, PROJECTS)).toEqual({
    data: { projects: { totalCount: 3 } },
  });
});

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
