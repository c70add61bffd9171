import type { Browser, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { newPage, open, startChromium, storedBy } from '../support/browser.ts';
import { type Gateway, seedTenant, startGateway } from '../support/gateway.ts';

let browser: Browser;
let gateway: Gateway;

beforeAll(async () => {
  [browser, gateway] = await Promise.all([startChromium(), startGateway()]);
  return () => Promise.all([browser.close(), gateway.stop()]);
});

test('the REST docs send a request with the entered token, and store nothing', async () => {
  const { token } = await seedTenant(gateway, { projects: 3 });
  const page = await newPage(browser, gateway.url);
  await open(page, `${gateway.url}/docs`);
  await page.getByLabel('Bearer token').fill(token);
  const { status, body } = await listProjects(page);
  expect(status).toBe('200');
  expect(body).toMatchObject({
    projects: [{ title: 'Tenant' }, { title: 'Project 2' }, { title: 'Project 3' }],
    nextPageToken: '',
  });
  expect(await storedBy(page)).toEqual([]);
  expect(await page.content()).not.toContain(token);
  expect(page.url()).not.toContain(token);
});

test('the REST docs show the body of an error', async () => {
  const page = await newPage(browser, gateway.url, { provoked: /status of 401/ });
  await open(page, `${gateway.url}/docs`);
  const { status, body } = await listProjects(page);
  expect(status).toBe('401');
  expect(body).toMatchObject({
    error: { code: 401, status: 'UNAUTHENTICATED', details: [{ reason: 'TOKEN_MISSING' }] },
  });
});

/** Sends `GET /project/projects` from the page, and reads the response that it shows. */
async function listProjects(page: Page): Promise<{ status: string; body: unknown }> {
  await page.getByRole('button', { name: /^GET/ }).click();
  await page.getByRole('button', { name: 'Execute' }).click();
  const answer = page.locator('.live-responses-table .response');
  return {
    status: await answer.locator('.response-col_status').innerText(),
    body: JSON.parse(await answer.locator('.language-json').innerText()),
  };
}
