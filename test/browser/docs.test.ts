import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startSite, storedBy } from '../support/browser.ts';
import { seedTenant } from '../support/gateway.ts';

const site = startSite();

test('the REST docs show the body of an error, send the entered token, and store nothing', async () => {
  const { token } = await seedTenant(site.gateway, { projects: 3 });
  const page = await site.open('/docs', { provoked: /status of 401/ });
  await page.getByRole('button', { name: /^GET/ }).click();
  expect(await listProjects(page, 401)).toMatchObject({
    error: { code: 401, status: 'UNAUTHENTICATED', details: [{ reason: 'TOKEN_MISSING' }] },
  });
  await page.getByLabel('Bearer token').fill(token);
  expect(await listProjects(page, 200)).toMatchObject({
    projects: [{ title: 'Tenant' }, { title: 'Project 2' }, { title: 'Project 3' }],
    nextPageToken: '',
  });
  expect(await storedBy(page)).toEqual([]);
  expect(await page.content()).not.toContain(token);
  expect(page.url()).not.toContain(token);
});

/** Sends `GET /project/projects` from the page, and reads the response that it shows, which has a status. */
async function listProjects(page: Page, status: number): Promise<unknown> {
  await page.getByRole('button', { name: 'Execute' }).click();
  const answer = page.locator('.live-responses-table .response');
  await answer.locator('.response-col_status').getByText(String(status)).waitFor();
  return JSON.parse(await answer.locator('.language-json').innerText());
}
