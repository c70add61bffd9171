import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { violationsOf } from '../support/accessibility.ts';
import { startSite } from '../support/browser.ts';
import { seedTenant } from '../support/gateway.ts';

// The elements of GraphiQL with the role of a tab contain the buttons to select and to close it. The label of an entry of
// its history says what the button does, and not what the entry is.
const OF_GRAPHIQL =
  /^nested-interactive: <li [^>]*role="tab"|^label-content-name-mismatch: <button [^>]*history-item-label/;

const WIDTHS = [320, 375, 1280];

const site = startSite();

test.each([
  { path: '/', text: '.start h1' },
  { path: '/nothing', text: '.not-found h1', options: { provoked: /status of 404/ } },
  { path: '/graphiql', text: '.graphiql-query-editor .view-line', known: OF_GRAPHIQL },
  { path: '/docs#tag/apps/POST/auth/apps', text: '#reference .operation-description p' },
])('$path follows the colour scheme, fits every width, and meets WCAG 2.2 AA', async (given) => {
  // As on a phone, where a page without a viewport element is laid out 980 pixels wide.
  const page = await site.open(given.path, { isMobile: true, colorScheme: 'dark', ...given.options });
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await expectShine(page, given.text, colorScheme);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      const violations = await violationsOf(page);
      expect(violations.filter((violation) => !given.known?.test(violation))).toEqual([]);
    }
  }
});

test.each(['light', 'dark'] as const)('the panels of GraphiQL meet WCAG 2.2 AA, %s', async (colorScheme) => {
  const page = await site.open('/graphiql', { colorScheme, viewport: { width: 1280, height: 800 } });
  const { token } = await seedTenant(site.gateway);
  await page.getByLabel('Bearer token').fill(token);
  await page.getByRole('button', { name: 'Execute query' }).click();
  await page.locator('.result-window .view-line').filter({ hasText: 'totalCount' }).waitFor();
  const panels = {
    'Show Documentation Explorer': '.graphiql-doc-explorer a',
    'Show History': '.graphiql-history-item',
    'Open short keys dialog': '[role=dialog]',
  };
  for (const [name, content] of Object.entries(panels)) {
    await page.getByRole('button', { name }).click();
    await page.locator(content).first().waitFor();
    const violations = await violationsOf(page);
    expect(violations.filter((violation) => !OF_GRAPHIQL.test(violation))).toEqual([]);
  }
});

/** Waits until the page and a text in it have the colors of the color scheme. */
async function expectShine(page: Page, text: string, colorScheme: 'light' | 'dark'): Promise<void> {
  for (const place of ['body', text]) {
    const shine = expect.poll(() => shineOf(page, place), { timeout: 15_000 });
    await (colorScheme === 'light' ? shine.toBeLessThan(-0.5) : shine.toBeGreaterThan(0.5));
  }
}

/** The brightness of a text minus that of its background, from -1 to 1. */
async function shineOf(page: Page, place: string): Promise<number> {
  await page.locator(place).first().waitFor();
  return page.evaluate<number>(`(() => {
    const brightness = (color) => {
      const [red, green, blue] = color.match(/[\\d.]+/g).map(Number);
      return (0.3 * red + 0.59 * green + 0.11 * blue) / 255;
    };
    const text = document.querySelector(${JSON.stringify(place)});
    let ground = text;
    while (/^rgba/.test(getComputedStyle(ground).backgroundColor)) ground = ground.parentElement;
    return brightness(getComputedStyle(text).color) - brightness(getComputedStyle(ground).backgroundColor);
  })()`);
}
