import type { Browser, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { bothApis } from '../support/apis.ts';
import { newPage, open, startChromium, storedBy } from '../support/browser.ts';
import { type Gateway, seedTenant, startGateway } from '../support/gateway.ts';

// Large enough to show a response with a page of projects without scrolling and line wraps.
const VIEWPORT = { width: 1920, height: 2000 };

let browser: Browser;
let gateway: Gateway;

beforeAll(async () => {
  [browser, gateway] = await Promise.all([startChromium(), startGateway()]);
  return () => Promise.all([browser.close(), gateway.stop()]);
});

test('GraphiQL lists the projects page by page', async () => {
  const { token } = await seedTenant(gateway, { projects: 25 });
  const page = await openGraphiql();
  await page.getByLabel('Bearer token').fill(token);

  await execute(page);
  const first = await answerWith(page, 'Project 10');
  expect(titlesIn(first)).toEqual(['Tenant', ...numbered(2, 10)]);

  await setVariables(page, { first: 10, after: first.data.projects.pageInfo.endCursor });
  await execute(page);
  const second = await answerWith(page, 'Project 20');
  expect(titlesIn(second)).toEqual(numbered(11, 20));

  await setVariables(page, { first: 10, after: second.data.projects.pageInfo.endCursor });
  await execute(page);
  const last = await answerWith(page, 'Project 25');
  expect(titlesIn(last)).toEqual(numbered(21, 25));
  expect(last.data.projects).toMatchObject({ totalCount: 25, pageInfo: { hasNextPage: false } });
});

test('GraphiQL updates a wallet with its prepared mutation', async () => {
  const { token, wallets } = await seedTenant(gateway, { wallets: 1 });
  const [name = ''] = wallets;
  const page = await openGraphiql();
  await page.getByLabel('Bearer token').fill(token);
  await openTab(page, 'UpdateWallet');
  await setVariables(page, { input: { name, title: 'Rainy days' } });
  await execute(page);
  const { data } = await answerWith(page, 'Rainy days');
  expect(data.updateWallet.wallet).toMatchObject({ name, title: 'Rainy days', description: 'No. 1' });
  for (const api of bothApis(() => gateway.url)) {
    expect((await api.updateWallet(token, name, {})).value).toMatchObject({ name, title: 'Rainy days' });
  }
});

test('GraphiQL stores no input and no response', async () => {
  const { token } = await seedTenant(gateway);
  const page = await openGraphiql();
  await page.getByLabel('Bearer token').fill(token);
  await openTab(page, 'CreateApp');
  await setVariables(page, { input: { title: 'Kept secret', active: true } });
  await execute(page);
  await answerWith(page, 'Kept secret');
  expect(await storedBy(page)).toEqual([]);
  expect(page.url()).toBe(`${gateway.url}/graphiql`);

  await page.reload();
  await openTab(page, 'CreateApp');
  await page.getByLabel('Variables').getByText('"Back office"').waitFor();
  expect(await page.getByLabel('Bearer token').inputValue()).toBe('');
});

test('GraphiQL shows the code of an error', async () => {
  const page = await openGraphiql(/status of 401/);
  await page.getByLabel('Bearer token').fill('paw_acct_wrong');
  await execute(page);
  const { errors } = await answerWith(page, 'UNAUTHENTICATED');
  expect(errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED', reason: 'TOKEN_INVALID' } }]);
});

test('GraphiQL shows the documentation of the schema without a token', async () => {
  const page = await openGraphiql();
  await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
  const docs = page.locator('.graphiql-doc-explorer');
  await docs.getByText('Mutation', { exact: true }).click();
  await docs.getByText('updateWallet', { exact: true }).click();
  await docs.getByText('Updates the fields of a wallet that are in the input.').waitFor();
  await docs.getByText('UpdateWalletInput', { exact: true }).waitFor();
});

async function openGraphiql(provoked?: RegExp): Promise<Page> {
  const page = await newPage(browser, gateway.url, { viewport: VIEWPORT, ...(provoked && { provoked }) });
  await open(page, `${gateway.url}/graphiql`);
  return page;
}

async function openTab(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click();
  await page.getByLabel('Operation Editor').getByText(name, { exact: true }).waitFor();
}

/** Pastes variables. If they were typed, the editor would add closing brackets. */
async function setVariables(page: Page, variables: object): Promise<void> {
  const text = JSON.stringify(variables);
  const editor = page.getByLabel('Variables');
  await editor.locator('.view-lines').click();
  await page.keyboard.press('Control+A');
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  await page.keyboard.press('Control+V');
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

function titlesIn({ data }: { data: { projects: { nodes: { title: string }[] } } }): readonly string[] {
  return data.projects.nodes.map(({ title }) => title);
}

function numbered(from: number, to: number): readonly string[] {
  return Array.from({ length: to - from + 1 }, (_, index) => `Project ${from + index}`);
}
