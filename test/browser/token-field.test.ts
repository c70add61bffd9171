// @module-tag needs/chromium
// @module-tag night/browser

import { expect, test } from 'vitest';
import { startSite } from '../support/browser.ts';
import { seedTenant } from '../support/gateway.ts';

// The pages, each with an element that its script adds.
const PAGES = [
  ['/graphiql', '.graphiql-execute-button'],
  ['/reference', '#reference h1'],
] as const;

const site = startSite();

test.each(PAGES)(
  '%s has the token that is kept for the tab, keeps what replaces it, and forgets another one',
  async (path, ready) => {
    const [first, second] = [await seedTenant(site.gateway), await seedTenant(site.gateway)];
    const page = await site.open(path);
    const field = page.getByLabel('Bearer token', { exact: true });
    // After a reload, the field has a token as soon as the script of the page has run.
    const reload = async () => {
      await page.reload();
      await page.locator(ready).waitFor();
      return field.inputValue();
    };
    await field.fill(first.token);
    expect(await reload()).toBe('');
    await page.evaluate(`sessionStorage.setItem('paw.token', '${first.token}')`);
    expect(await reload()).toBe(first.token);
    await field.fill(second.token);
    expect(await reload()).toBe(second.token);
    await field.fill('');
    expect(await reload()).toBe('');
  },
);

test.each(PAGES)('%s works in a browser that blocks storage', async (path, ready) => {
  const page = await site.newPage();
  await page.addInitScript(`
    const blocked = { get() { throw new DOMException('Access is denied.', 'SecurityError'); } };
    for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, blocked);
  `);
  await page.goto(site.gateway.url + path);
  await page.locator(ready).waitFor();
});
