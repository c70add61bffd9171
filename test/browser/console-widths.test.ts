// @module-tag needs/chromium
// @module-tag night/browser

import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { TEXTS } from '../../console/app/texts.ts';
import { updateProject } from '../../src/data/projects/update-project.ts';
import { graphqlApi } from '../support/both-apis.ts';
import { showScreen, startSite } from '../support/browser.ts';
import { addressOf, seedTenant } from '../support/gateway.ts';
import { accountToken, createApp, signIn } from '../support/requests.ts';

const WIDTHS = Array.from({ length: 33 }, (_, step) => 320 + 40 * step);

const TITLE = 'Cold storage of the reserve that the board has to release with two signatures '
  .repeat(3)
  .slice(0, 200);
// Other titles of 200 code points: one word; from right to left, with a character that turns the text after it; code units.
const WORD = 'w'.repeat(200);
const TURNED = `${'محفظة '.repeat(33)}\u202ea`;
const UNITS = '👩‍🚀🐾'.repeat(50);
const DESCRIPTION = 'Every wallet here is owned by the finance team, and by nobody else. '.repeat(29);

// What fills a screen: its path, with `<project>`, `<wallet>` and `<app>`, a text to wait for, and what opens a dialog.
const SCREENS = [
  ['', '30 projects', 'Create project'],
  ['<project>', '250 wallets', 'Create wallet'],
  ['<project>', '250 wallets', 'Edit project'],
  ['<project>/apps', '1 app', 'Create app'],
  ['<project>/settings', '2 events', ''],
  ['<wallet>', '2 events', 'Edit wallet'],
  ['<app>', /\d+ events/, TEXTS.rotateKey],
  ['<app>', /\d+ events/, 'Delete'],
  ['tokens', '3 valid tokens', 'Create token'],
  ['tokens', '3 valid tokens', 'Revoke '],
  ['events', /\d+ events/, ''],
  [`wallets?address=${addressOf(1)}`, '1 wallet', ''],
  ['nothing', TEXTS.notFound, ''],
] as const;

const site = startSite();
const api = graphqlApi(() => site.gateway.url);

let token: string;
let names: Record<string, string>;

beforeAll(async () => {
  const { operator, clock } = site.gateway;
  const tenant = await seedTenant(site.gateway, { projects: 30, wallets: 250 });
  const { wallet, project } = tenant;
  token = tenant.token;
  await updateProject(operator, { name: project, title: TITLE, description: DESCRIPTION });
  await updateProject(operator, { name: tenant.projects[1] ?? '', description: '' });
  const network = 'NETWORK_POLYGON_MUMBAI';
  await api.updateWallet(token, wallet, { title: WORD, description: DESCRIPTION, network });
  const app = await createApp(api, token, { title: TURNED });
  await signIn(api, token, app);
  await accountToken(site.gateway, tenant, { title: UNITS, readOnly: true, onlyProject: project });
  clock.advance(1);
  names = { project, wallet, app: app.name };
});

test.each(SCREENS)(
  'at #/%s, with %s, %s: nothing leaves the window, is cut or is broken, at any width from 320 to 1600 pixels',
  async (path, ready, button) => {
    const page = await site.openConsole(token);
    await showScreen(
      page,
      path.replace(/<(\w+)>/, (_, kind) => names[kind] ?? ''),
    );
    await page.getByText(ready).first().waitFor();
    await expectNothingCut(page);
    const request = page.getByRole('button', { name: 'Show the request' });
    if ((await request.count()) === 1) await request.click();
    const row = page.locator('.turn').first();
    if ((await row.count()) === 1) {
      await row.click();
      await page.locator('.rest').waitFor();
    }
    const more = page.getByRole('button', { name: 'More', exact: true });
    if ((await more.count()) === 1) await more.click();
    await expectNothingCut(page);
    if (button === '') return;
    await page.getByRole('button', { name: button }).locator('visible=true').last().click();
    await page.getByRole('dialog').waitFor();
    await expectNothingCut(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Show the request' }).click();
    await expectNothingCut(page);
  },
);

test('neither does anything of the screen without a token, of the menu of the token and of a search', async () => {
  const page = await site.open('/console');
  await page.getByRole('heading', { name: TEXTS.enterToken }).waitFor();
  await expectNothingCut(page);
  await page.goto(`${site.gateway.url}/console#token=${token}`);
  await page.locator('.opener').click();
  await page.locator('.menu').waitFor();
  await expectNothingCut(page);
  await page.keyboard.press('Escape');
  await page.getByRole('combobox', { name: 'Search' }).fill('ww');
  await page.getByRole('option').first().waitFor();
  await expectNothingCut(page);
});

/**
 * Returns the first elements that are wider than their place: a box that scrolls sideways or hides a part of its content, other
 * than by an ellipsis of a text that is no identifier; a cell outside of its table; an identifier of two lines; and text after a
 * title that turns it.
 */
const FAULTS = `(() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  const faults = scrollWidth > clientWidth ? ['The page is ' + scrollWidth + ' wide.'] : [];
  const say = (what, element) => faults.push(what + ': ' + element.outerHTML.slice(0, 200));
  const rectsOf = (element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return [...range.getClientRects()];
  };
  for (const element of document.querySelectorAll('header *, main *')) {
    if (!element.checkVisibility() || element.matches('.unseen, input, select, textarea, pre, svg *')) continue;
    const { overflowX, textOverflow, clipPath } = getComputedStyle(element);
    if (clipPath !== 'none') continue;
    const isCut = overflowX !== 'visible' && element.scrollWidth > element.clientWidth;
    const mayBeCut = textOverflow === 'ellipsis' && !element.matches('code, :has(code, button)');
    if (isCut && !mayBeCut) say('Cut', element);
    const { left, right } = element.getBoundingClientRect();
    if (element.matches('td, th')) {
      const table = element.closest('.table').getBoundingClientRect();
      if (left < table.left - 1 || right > table.right + 1) say('Outside', element);
    }
    const row = element.matches('.cover') && element.closest('tr')?.getBoundingClientRect();
    if (row && element.getBoundingClientRect().bottom > row.bottom) say('Outside', element);
    if (element.matches('code') && element.closest('pre') === null) {
      const rects = rectsOf(element);
      if (new Set(rects.map(({ top }) => Math.round(top))).size > 1) say('Broken', element);
      if (rects.some((rect) => rect.right > clientWidth)) say('Outside', element);
    }
    if (element.matches('button') && (left < 0 || right > clientWidth)) say('Outside', element);
  }
  for (const { nextSibling } of document.querySelectorAll('dialog p > strong')) {
    const [first, second] = [1, 2].map((place) => {
      const letter = document.createRange();
      letter.setStart(nextSibling, place);
      letter.setEnd(nextSibling, place + 1);
      return letter.getBoundingClientRect();
    });
    if (first.top === second.top && first.left > second.left) say('Turned', nextSibling.parentElement);
  }
  return faults.slice(0, 5);
})()`;

async function expectNothingCut(page: Page): Promise<void> {
  const before = page.viewportSize() ?? { width: 1280, height: 800 };
  for (const width of WIDTHS) {
    await page.setViewportSize({ ...before, width });
    expect(await page.evaluate(FAULTS), `at ${width}`).toEqual([]);
  }
  await page.setViewportSize(before);
}
