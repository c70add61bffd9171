import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const LEVEL_AA = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/**
 * Checks the page as it is shown now, by axe-core with the rules of WCAG 2.2, levels A and AA.
 *
 * @returns a line for each violation, with the element
 */
export async function violationsOf(page: Page): Promise<readonly string[]> {
  // The debugger evaluates the source: a script element would need an exception in the policy of the page.
  if (await page.evaluate(`typeof axe === 'undefined'`)) await page.evaluate(axe.source);
  const options = JSON.stringify({ runOnly: LEVEL_AA, resultTypes: ['violations'] });
  return page.evaluate<string[]>(`axe.run(document, ${options}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => id + ': ' + html + ' ' + failureSummary)))`);
}

/**
 * Expects that what is shown meets WCAG 2.2 AA on both color schemes, has the focus, and needs no sideways scroll at 320
 * pixels.
 */
export async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await violationsOf(page)).toEqual([]);
  }
  expect(await page.evaluate('document.activeElement.localName')).not.toBe('body');
  const { width = 0, height = 0 } = page.viewportSize() ?? {};
  await page.setViewportSize({ width: 320, height });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
  await page.setViewportSize({ width, height });
}
