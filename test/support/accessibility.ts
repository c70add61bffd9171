import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const LEVEL_AA = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** What is expected of a page that shows a library. */
type Expected = {
  /** The violations that the library itself has. */
  readonly known?: RegExp;
  /** An element of the library, whose ground has to follow the color scheme. */
  readonly element?: string;
};

/** The sizes at which a page of the gateway is checked. A library keeps the size of the page. */
const PLACES = [
  { colorScheme: 'dark', width: 1440, height: 900 },
  { colorScheme: 'light', width: 375, height: 667 },
] as const;

/**
 * Expects that what is shown follows the color scheme, and meets WCAG 2.2 AA on both, by axe-core, the dark one on a screen
 * and the light one on a phone; that an element has the focus; and that 320 pixels need no sideways scroll.
 */
export async function expectAccessible(page: Page, { known, element }: Expected = {}): Promise<void> {
  const before = page.viewportSize();
  for (const { colorScheme, ...size } of PLACES) {
    if (element === undefined) await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme });
    await expect.poll(() => groundOf(page, element ?? 'body')).toBe(colorScheme);
    const violations = await violationsOf(page);
    expect(violations.filter((violation) => !known?.test(violation))).toEqual([]);
  }
  if (before) await page.setViewportSize(before);
  await expectReachable(page);
}

/** Expects that an element has the focus, and that 320 pixels need no sideways scroll. */
export async function expectReachable(page: Page): Promise<void> {
  // The console moves the focus after a paint.
  await expect.poll(() => page.evaluate('document.activeElement.localName')).not.toBe('body');
  const before = page.viewportSize() ?? { width: 320, height: 800 };
  await page.setViewportSize({ ...before, width: 320 });
  // A script of the page can follow the new size in a later frame.
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(320);
  await page.setViewportSize(before);
}

/** Returns a line for each violation in the page as it is shown now, with the element. */
async function violationsOf(page: Page): Promise<readonly string[]> {
  // The debugger evaluates the source: a script element would need an exception in the policy of the page.
  if (await page.evaluate(`typeof axe === 'undefined'`)) await page.evaluate(axe.source);
  const options = JSON.stringify({ runOnly: LEVEL_AA, resultTypes: ['violations'] });
  return page.evaluate<string[]>(`axe.run(document, ${options}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => id + ': ' + html + ' ' + failureSummary)))`);
}

/** Returns whether an element is drawn on a dark or on a light ground, unless its text does not follow yet. */
async function groundOf(page: Page, element: string): Promise<unknown> {
  await page.locator(element).first().waitFor();
  return page.evaluate(`(() => {
    let ground = document.querySelector(${JSON.stringify(element)});
    const isDark = (color) => {
      const [red, green, blue] = color.match(/[\\d.]+/g).map(Number);
      return red + green + blue < 384;
    };
    const hasDarkText = isDark(getComputedStyle(ground).color);
    const colorOf = () => getComputedStyle(ground).backgroundColor;
    while (/^rgba/.test(colorOf())) ground = ground.parentElement;
    if (isDark(colorOf()) === hasDarkText) return 'changing';
    return hasDarkText ? 'light' : 'dark';
  })()`);
}
