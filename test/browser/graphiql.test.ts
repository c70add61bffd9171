// @module-tag needs/chromium
// @module-tag night/browser

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible } from '../support/accessibility.ts';
import { restApi } from '../support/both-apis.ts';
import { startSite, storedBy } from '../support/browser.ts';
import { seedTenant } from '../support/gateway.ts';

// Large enough to show a response with a page of projects without scrolling and line wraps.
const VIEWPORT = { width: 1920, height: 2000 };

const LIBRARY = {
  element: '.graphiql-query-editor .view-line',
  // The elements of GraphiQL with the role of a tab contain the buttons to select and to close it. The label of an entry of
  // its history says what the button does, and not what the entry is.
  known:
    /^nested-interactive: <li [^>]*role="tab"|^label-content-name-mismatch: <button [^>]*history-item-label/,
};

const site = startSite();

test('each example of GraphiQL runs at the first click, and nothing is stored', async () => {
  const { token, projects, wallets } = await seedTenant(site.gateway, { projects: 15, wallets: 2 });
  const page = await site.open('/graphiql', { viewport: VIEWPORT });
  await page.getByLabel('Bearer token').fill(token);
  await execute(page);
  const { nodes } = (await answerWith(page, 'Project 10')).data.projects;
  expect(nodes.map(({ name }: { name: string }) => name)).toEqual(projects.slice(0, 10));

  await openTab(page, 'UpdateWallet');
  await showsVariables(page, '"Wallet 1"');
  await execute(page);
  const { updateWallet } = (await answerWith(page, 'Wallet 1')).data;
  expect(updateWallet.wallet).toMatchObject({ name: wallets[0], title: 'Wallet 1', description: 'No. 1' });
  const rest = restApi(() => site.gateway.url);
  expect((await rest.updateWallet(token, wallets[0] ?? '', {})).value).toMatchObject({ title: 'Wallet 1' });

  await openTab(page, 'CreateApp');
  await execute(page);
  const { app } = (await answerWith(page, 'Back office')).data.createApp;
  await openTab(page, 'SignIn');
  await showsVariables(page, app.name);
  await execute(page);
  const { signIn } = (await answerWith(page, app.name)).data;
  expect(signIn).toMatchObject({ accessToken: expect.stringMatching(/^paw_app_/), app: { name: app.name } });
  expect(await storedBy(page)).toEqual([]);
  expect(page.url()).toBe(`${site.gateway.url}/graphiql`);
});

test('GraphiQL and its panels are accessible, and show the schema without a token, and the code of an error', async () => {
  const page = await site.open('/graphiql', { provoked: /status of 401/ });
  await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
  const docs = page.locator('.graphiql-doc-explorer');
  await expectAccessible(page, LIBRARY);
  await docs.getByText('Mutation', { exact: true }).click();
  await docs.getByText('updateWallet', { exact: true }).click();
  await docs.getByText('UpdateWalletInput', { exact: true }).waitFor();
  expect(await docs.innerText()).toContain('Updates the fields of a wallet that are in the input.');

  await page.getByLabel('Bearer token').fill('paw_acct_wrong');
  await execute(page);
  const { errors } = await answerWith(page, 'UNAUTHENTICATED');
  expect(errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED', reason: 'TOKEN_INVALID' } }]);
  await page.getByRole('button', { name: 'Show History' }).click();
  await page.locator('.graphiql-history-item').first().waitFor();
  await expectAccessible(page, LIBRARY);
  await page.getByRole('button', { name: 'Open short keys dialog' }).click();
  await page.getByRole('dialog').waitFor();
  await expectAccessible(page, LIBRARY);
});

test('every tab of GraphiQL is in reach of a finger and of the keyboard at 320 pixels', async () => {
  const viewport = { width: 320, height: 700 };
  const page = await site.open('/graphiql', { viewport, isMobile: true, hasTouch: true });
  const names = ['UpdateWallet', 'CreateApp', 'SignIn', 'ListProjects'];
  for (const name of names) {
    const box = await page.getByRole('button', { name, exact: true }).boundingBox();
    const { x = -1, y = 0, width = 0, height = 0 } = box ?? {};
    expect([x >= 0, x + width <= viewport.width], name).toEqual([true, true]);
    // Unlike a tap on the element, which would scroll.
    await page.touchscreen.tap(x + width / 2, y + height / 2);
    await showsOperation(page, name);
  }
  await expectAccessible(page, LIBRARY);
  for (const name of names.slice(0, 3)) {
    const pressTab = async () => {
      await page.keyboard.press('Tab');
      return page.evaluate('document.activeElement.textContent');
    };
    await expect.poll(pressTab, { interval: 1 }).toBe(name);
    await page.keyboard.press('Enter');
    await showsOperation(page, name);
  }
});

/** Selects a tab, and waits until its operation is shown. */
async function openTab(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click();
  await showsOperation(page, name);
}

async function showsOperation(page: Page, name: string): Promise<void> {
  await page.getByLabel('Operation Editor').getByText(name, { exact: true }).waitFor();
}

async function showsVariables(page: Page, text: string): Promise<void> {
  await page.getByLabel('Variables').locator('.view-line').filter({ hasText: text }).waitFor();
}

async function execute(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Execute query' }).click();
}

/** Waits for a response that contains a text, and reads it from the page. */
// biome-ignore lint/suspicious/noExplicitAny: the tests check the values
async function answerWith(page: Page, something: string): Promise<any> {
  const result = page.getByLabel('Result Window');
  await result.getByText(`"${something}"`, { exact: true }).first().waitFor();
  // The order of the lines in the document differs from their order on the screen.
  const lines = await page.evaluate<string[]>(
    `[...document.querySelectorAll('.result-window .view-line')]
      .toSorted((a, b) => a.offsetTop - b.offsetTop)
      .map(({ textContent }) => textContent)`,
  );
  return JSON.parse(lines.join('').replaceAll('\u00a0', ' '));
}
