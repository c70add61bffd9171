import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startSite } from '../support/browser.ts';
import { seedTenant } from '../support/gateway.ts';

// The pages, each with an element that its script adds.
const PAGES = [
  ['/graphiql', '.graphiql-execute-button'],
  ['/docs', '#reference h1'],
] as const;

const site = startSite();

test.each(PAGES)(
  '%s has the token that is kept for the tab, and keeps what replaces it',
  async (path, ready) => {
    const { token } = await seedTenant(site.gateway);
    const page = await site.open(path);
    await keep(page, token);
    await page.reload();
    await expectToken(page, ready, token);

    const { token: second } = await seedTenant(site.gateway);
    await page.getByLabel('Bearer token', { exact: true }).fill(second);
    await page.reload();
    await expectToken(page, ready, second);

    await page.getByLabel('Bearer token', { exact: true }).fill('');
    await page.reload();
    await expectToken(page, ready, '');
  },
);

test.each(PAGES)('%s forgets a token on a reload if none is kept', async (path, ready) => {
  const { token } = await seedTenant(site.gateway);
  const page = await site.open(path);
  await page.getByLabel('Bearer token', { exact: true }).fill(token);
  await page.reload();
  await expectToken(page, ready, '');
});

test.each(PAGES)('%s works in a browser that blocks storage', async (path, ready) => {
  const page = await site.newPage();
  await page.addInitScript(`
    const blocked = { get() { throw new DOMException('Access is denied.', 'SecurityError'); } };
    for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, blocked);
  `);
  await page.goto(site.gateway.url + path);
  await page.locator(ready).waitFor();
});

async function keep(page: Page, token: string): Promise<void> {
  await page.evaluate(`sessionStorage.setItem('paw.token', ${JSON.stringify(token)})`);
}

/** Waits until the script of the page has run, then compares the token in the field. */
async function expectToken(page: Page, ready: string, token: string): Promise<void> {
  await page.locator(ready).waitFor();
  expect(await page.getByLabel('Bearer token', { exact: true }).inputValue()).toBe(token);
}
