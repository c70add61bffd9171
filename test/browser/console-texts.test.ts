// @module-tag needs/chromium
// @module-tag night/browser

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { asOperator } from '../../src/data/call/call.ts';
import { updateProject } from '../../src/data/projects/update-project.ts';
import { restApi } from '../support/both-apis.ts';
import { showScreen, startSite } from '../support/browser.ts';
import { seedTenant } from '../support/gateway.ts';
import { accountToken, createApp } from '../support/requests.ts';

// Texts of 200 code points. The second one has a character that turns the text after it.
const TEXTS = [
  ['one word', 'w'.repeat(200)],
  ['from right to left', `${'محفظة '.repeat(33)}\u202ea`],
  ['of many code units', '👩‍🚀🐾'.repeat(50)],
] as const;

const site = startSite();
const api = restApi(() => site.gateway.url);

test.each(TEXTS)(
  'a title of 200 code points, %s, fits every list and dialog at 320 pixels',
  async (_, title) => {
    const { operator, clock } = site.gateway;
    const tenant = await seedTenant(site.gateway, { wallets: 1 });
    const { token, wallets, project } = tenant;
    await updateProject(asOperator(operator), { name: project, title, description: title });
    await api.updateWallet(token, wallets[0] ?? '', { title, description: title });
    const app = await createApp(api, token, { title });
    await accountToken(site.gateway, tenant, { title });
    clock.advance(1);
    const page = await site.openConsole(token, { viewport: { width: 320, height: 800 } });
    await expectToFit(page, title);
    await page.getByRole('combobox').fill([...title].slice(0, 4).join(''));
    await page.getByRole('option').nth(2).waitFor();
    await expectToFit(page, title);
    await page.keyboard.press('Escape');
    for (const [path, button, row] of [
      [project, 'Edit ', 'More of '],
      [project, 'Edit project'],
      [wallets[0], 'Edit wallet'],
      [app.name, 'Rename'],
      [app.name, 'New key'],
      [app.name, 'Deactivate'],
      [app.name, 'Delete'],
      ['tokens', 'End ', 'More of '],
      ['tokens', 'Create token'],
      ['events', undefined],
    ] as const) {
      await showScreen(page, String(path));
      await page.getByText(title).locator('visible=true').first().waitFor();
      await expectToFit(page, title);
      if (button === undefined) continue;
      if (row !== undefined) await page.getByRole('button', { name: row }).last().click();
      await expectToFit(page, title);
      await page.getByRole('button', { name: button }).last().click();
      await page.getByRole('dialog').waitFor();
      await expectToFit(page, title);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
  },
);

/** Expects that a text is shown, that nothing is wider than the page or its dialog, and that the text after it is not turned. */
async function expectToFit(page: Page, text: string): Promise<void> {
  await page.getByText(text).locator('visible=true').first().waitFor();
  const isTooWide = `[document.documentElement, ...document.querySelectorAll('dialog')]
    .some(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)`;
  expect(await page.evaluate(isTooWide)).toBe(false);
  const isTurned = `[...document.querySelectorAll('dialog strong')].some(({ nextSibling }) => {
    const [first, second] = [1, 2].map((place) => {
      const letter = document.createRange();
      letter.setStart(nextSibling, place);
      letter.setEnd(nextSibling, place + 1);
      return letter.getBoundingClientRect().left;
    });
    return first > second;
  })`;
  expect(await page.evaluate(isTurned)).toBe(false);
}
