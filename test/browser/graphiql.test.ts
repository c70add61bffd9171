import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { restApi } from '../support/apis.ts';
import { startSite, storedBy } from '../support/browser.ts';
import { seedTenant } from '../support/gateway.ts';

// Large enough to show a response with a page of projects without scrolling and line wraps.
const VIEWPORT = { width: 1920, height: 2000 };

const site = startSite();

test('GraphiQL pages through projects and updates a wallet, and stores no input and no response', async () => {
  const { token, projects, wallets } = await seedTenant(site.gateway, { projects: 15, wallets: 1 });
  const [name = ''] = wallets;
  const page = await site.open('/graphiql', { viewport: VIEWPORT });
  await page.getByLabel('Bearer token').fill(token);

  await execute(page);
  const first = (await answerWith(page, 'Project 10')).data.projects;
  expect(namesIn(first)).toEqual(projects.slice(0, 10));
  await setVariables(page, { first: 10, after: first.pageInfo.endCursor });
  await execute(page);
  const last = (await answerWith(page, 'Project 15')).data.projects;
  expect(namesIn(last)).toEqual(projects.slice(10));
  expect(last).toMatchObject({ totalCount: 15, pageInfo: { hasNextPage: false } });

  await page.getByRole('button', { name: 'UpdateWallet', exact: true }).click();
  await page.getByLabel('Operation Editor').getByText('UpdateWallet', { exact: true }).waitFor();
  await setVariables(page, { input: { name, title: 'Rainy days' } });
  await execute(page);
  const { wallet } = (await answerWith(page, 'Rainy days')).data.updateWallet;
  expect(wallet).toMatchObject({ name, title: 'Rainy days', description: 'No. 1' });
  const rest = restApi(() => site.gateway.url);
  expect((await rest.updateWallet(token, name, {})).value).toMatchObject({ name, title: 'Rainy days' });

  expect(await storedBy(page)).toEqual([]);
  expect(page.url()).toBe(`${site.gateway.url}/graphiql`);
});

test('GraphiQL shows the documentation of the schema without a token, and the code of an error', async () => {
  const page = await site.open('/graphiql', { viewport: VIEWPORT, provoked: /status of 401/ });
  await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
  const docs = page.locator('.graphiql-doc-explorer');
  await docs.getByText('Mutation', { exact: true }).click();
  await docs.getByText('updateWallet', { exact: true }).click();
  await docs.getByText('UpdateWalletInput', { exact: true }).waitFor();
  expect(await docs.innerText()).toContain('Updates the fields of a wallet that are in the input.');

  await page.getByLabel('Bearer token').fill('paw_acct_wrong');
  await execute(page);
  const { errors } = await answerWith(page, 'UNAUTHENTICATED');
  expect(errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED', reason: 'TOKEN_INVALID' } }]);
});

/** Pastes variables. If they were typed, the editor would add closing brackets. */
async function setVariables(page: Page, variables: object): Promise<void> {
  const text = JSON.stringify(variables);
  const editor = page.getByLabel('Variables');
  await editor.locator('.view-lines').click();
  await page.keyboard.press('Control+A');
  // Without the clipboard, which all pages share.
  await page.evaluate(`(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', ${JSON.stringify(text)});
    const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
    document.activeElement.dispatchEvent(paste);
  })()`);
  await editor.locator('.view-line').filter({ hasText: text }).waitFor();
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

function namesIn({ nodes }: { nodes: { name: string }[] }): readonly string[] {
  return nodes.map(({ name }) => name);
}
