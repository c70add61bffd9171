// @module-tag needs/chromium

import { expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { expectAccessible } from '../support/accessibility.ts';
import { startSite } from '../support/browser.ts';

const site = startSite();

test('the start page is accessible, and leads to all pages', async () => {
  const page = await site.open('/');
  const follow = async (place: 'banner' | 'main' | 'navigation', name: string, path: string) => {
    await page.getByRole(place).getByRole('link', { name }).click();
    await expect.poll(() => page.url()).toBe(site.gateway.url + path);
  };
  await page.getByText(`Version ${manifest.version}`).waitFor();
  const headings = await page.getByRole('heading', { level: 2 }).allInnerTexts();
  expect(headings).toEqual(['Console', 'GraphiQL', 'Documentation']);
  await page.keyboard.press('Tab');
  await expectAccessible(page);
  // Documents have no icon of their own.
  const size = await page.evaluate<number[]>(`(async () => {
    const icon = new Image();
    icon.src = './favicon.ico';
    await icon.decode();
    return [icon.naturalWidth, icon.naturalHeight];
  })()`);
  expect(size).toEqual([32, 32]);
  await follow('main', 'Console', '/console');
  await follow('navigation', 'GraphiQL', '/graphiql');
  await follow('banner', 'PAW gateway', '/');
  await follow('main', 'REST reference', '/reference');
});
