import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { startSite } from '../support/browser.ts';

const PHONE = { viewport: { width: 375, height: 812 }, isMobile: true, hasTouch: true };

const site = startSite();

describe.each([
  { path: '/', text: '.start h1' },
  { path: '/graphiql', text: '.graphiql-query-editor .view-line' },
  { path: '/docs#/Apps/createApp', text: '#docs .opblock-description p' },
])('$path', ({ path, text }) => {
  test('follows the colour scheme of the reader, and fits the width of a phone', async () => {
    const page = await site.open(path, { ...PHONE, colorScheme: 'dark' });
    await expectShine(page, text, 'dark');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.viewport.width);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await expectShine(page, text, colorScheme);
    }
  });
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
