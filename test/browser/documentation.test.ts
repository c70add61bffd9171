// @module-tag needs/chromium
// @module-tag night/browser

import { expect, test } from 'vitest';
import { expectAccessible } from '../support/accessibility.ts';
import { pasted, startSite } from '../support/browser.ts';
import { seedTenant } from '../support/gateway.ts';
import { activate } from '../support/keyboard.ts';

const site = startSite();

test('the documentation is found from the start page, and its code is copied by the keyboard', async () => {
  const page = await site.open('/', { viewport: { width: 375, height: 667 } });
  await activate(page.getByRole('main').getByRole('link', { name: 'Documentation' }));
  await page.getByRole('heading', { name: 'For operators' }).waitFor();
  await activate(page.getByRole('link', { name: 'Browser applications' }));
  await page.getByRole('heading', { name: 'Browser applications', level: 1 }).waitFor();
  const code = page.locator('.code').filter({ hasText: 'import.meta.env.VITE_PAW' }).first();
  await activate(code.getByRole('button', { name: 'Copy the code' }));
  await code.getByText('Copied', { exact: true }).waitFor();
  expect((await pasted(page)).trim()).toBe((await code.locator('pre').innerText()).trim());
  await page.getByRole('link', { name: 'PAW gateway' }).focus();
  await expectAccessible(page);
});

test('the console links to the documentation, in which the link at a heading leads to it', async () => {
  const { token } = await seedTenant(site.gateway);
  const page = await site.openConsole(token);
  await page.getByRole('link', { name: 'Docs' }).click();
  await page.getByRole('link', { name: 'API reference' }).click();
  const heading = page.getByRole('heading', { name: 'Following events' });
  await heading.getByRole('link', { name: 'Link to this section' }).click();
  await expect.poll(() => page.url()).toBe(`${site.gateway.url}/docs/api.md#following-events`);
  await expect.poll(async () => Math.abs((await heading.boundingBox())?.y ?? -1)).toBeLessThan(1);
});

test.each(['api', 'running', 'troubleshooting', 'benchmarks'])(
  'the page %s is accessible, and fits a phone',
  async (name) => {
    const page = await site.open(`/docs/${name}.md`);
    await page.getByRole('link', { name: 'PAW gateway' }).focus();
    await expectAccessible(page);
  },
);
