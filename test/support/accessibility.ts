import axe from 'axe-core';
import type { Page } from 'playwright-core';

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
