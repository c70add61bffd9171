import { expect, test } from 'vitest';
import { expectAccessible } from '../support/accessibility.ts';
import { startSite } from '../support/browser.ts';
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
  await page.evaluate('document.querySelector("main").append(document.createElement("textarea"))');
  const field = page.locator('main > textarea');
  await field.press('Control+V');
  expect((await field.inputValue()).trim()).toBe((await code.locator('pre').innerText()).trim());
  await page.evaluate('document.querySelector("main > textarea").remove()');
  await page.getByRole('link', { name: 'PAW gateway' }).focus();
  await expectAccessible(page);
});

test.each(['api', 'running', 'benchmarks'])('the page %s is accessible, and fits a phone', async (name) => {
  const page = await site.open(`/docs/${name}.md`, { viewport: { width: 1440, height: 900 } });
  await page.getByRole('navigation', { name: 'Documentation' }).locator('[aria-current]').focus();
  await expectAccessible(page);
  await page.setViewportSize({ width: 375, height: 667 });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(375);
});
