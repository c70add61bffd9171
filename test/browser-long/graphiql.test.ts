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

  await openTab(page, 'UpdateWallet');
  await setVariables(page, { input: { name, title: 'Rainy days' } });
  await execute(page);
  const { wallet } = (await answerWith(page, 'Rainy days')).data.updateWallet;
  expect(wallet).toMatchObject({ name, title: 'Rainy days', description: 'No. 1' });
  const rest = restApi(() => site.gateway.url);
  expect((await rest.updateWallet(token, name, {})).value).toMatchObject({ name, title: 'Rainy days' });

  expect(await storedBy(page)).toEqual([]);
  expect(page.url()).toBe(`${site.gateway.url}/graphiql`);
});

test('each example of GraphiQL runs at the first click: the wallet exists, and the new app signs in', async () => {
  const { token, wallets } = await seedTenant(site.gateway, { wallets: 2 });
  const page = await site.open('/graphiql', { viewport: VIEWPORT });
  await page.getByLabel('Bearer token').fill(token);

  await openTab(page, 'UpdateWallet');
  await showsVariables(page, '"Wallet 1"');
  await execute(page);
  const { updateWallet } = (await answerWith(page, 'Wallet 1')).data;
  expect(updateWallet.wallet).toMatchObject({ name: wallets[0], title: 'Wallet 1', description: 'No. 1' });

  await openTab(page, 'CreateApp');
  await execute(page);
  const { app } = (await answerWith(page, 'Back office')).data.createApp;

  await openTab(page, 'SignIn');
  await showsVariables(page, app.name);
  await execute(page);
  expect((await answerWith(page, app.name)).data.signIn).toMatchObject({
    accessToken: expect.stringMatching(/^paw_app_/),
    app: { name: app.name },
  });
});

test('GraphiQL fills the example that is shown, and leaves one that the person has edited', async () => {
  const { token } = await seedTenant(site.gateway, { wallets: 1 });
  const page = await site.open('/graphiql', { viewport: VIEWPORT });
  await openTab(page, 'UpdateWallet');
  await setVariables(page, { input: { title: 'Mine' } });
  const answer = page.waitForResponse('**/graphql');
  await page.getByLabel('Bearer token').fill(token);
  await (await answer).finished();
  // Until the answer is drawn.
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
  await showsVariables(page, JSON.stringify({ input: { title: 'Mine' } }));
  await openTab(page, 'CreateApp');
  await showsVariables(page, '"project"');

  await page.getByLabel('Bearer token').fill('');
  await expect.poll(() => page.getByLabel('Variables').innerText()).not.toContain('project');
});

test('GraphiQL opens with the operation in the address, removes it from there, and does not execute it', async () => {
  const { token, account } = await seedTenant(site.gateway);
  const page = await site.open('/');
  const sent: string[] = [];
  page.on('request', (request) => sent.push(request.postData() ?? ''));
  const operation = {
    query: 'query Linked($first: Int) { viewer { account } projects(first: $first) { totalCount } }',
    variables: '{"first": 1}',
  };
  const fragment = Object.entries(operation).map(([name, text]) => `${name}=${encodeURIComponent(text)}`);
  await page.goto(`${site.gateway.url}/graphiql#${fragment.join('&')}`);
  await page.getByLabel('Operation Editor').getByText('Linked', { exact: true }).waitFor();
  expect(page.url()).toBe(`${site.gateway.url}/graphiql`);
  await page.getByLabel('Bearer token').fill(token);
  await page.getByRole('button', { name: 'UpdateWallet', exact: true }).waitFor();
  expect(sent.filter((body) => body.includes('Linked'))).toEqual([]);

  await execute(page);
  expect((await answerWith(page, account)).data).toEqual({
    viewer: { account },
    projects: { totalCount: 1 },
  });
  await page.reload();
  await page.getByLabel('Operation Editor').getByText('ListProjects', { exact: true }).waitFor();
});

test('GraphiQL does not open an operation of more than 20,000 characters in the address', async () => {
  const page = await site.open(`/graphiql#query=${'a'.repeat(20_000)}`);
  const notice = 'The operation in the address has more than 20000 characters.';
  await page.getByLabel('Operation Editor').locator('.view-line').filter({ hasText: notice }).waitFor();
  expect(page.url()).toBe(`${site.gateway.url}/graphiql`);
});

test.each([320, 375])(
  'every tab of GraphiQL is in reach of a finger and of the keyboard at %i pixels',
  async (width) => {
    const page = await site.open('/graphiql', {
      viewport: { width, height: 700 },
      isMobile: true,
      hasTouch: true,
    });
    const names = ['UpdateWallet', 'CreateApp', 'SignIn', 'ListProjects'];
    for (const name of names) {
      const tab = page.getByRole('button', { name, exact: true });
      const {
        x,
        y,
        width: tabWidth,
        height,
      } = (await tab.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
      expect([x >= 0, x + tabWidth <= width], name).toEqual([true, true]);
      // Unlike a tap on the element, which would scroll.
      await page.touchscreen.tap(x + tabWidth / 2, y + height / 2);
      await showsOperation(page, name);
    }
    for (const name of names.slice(0, 3)) {
      await pressUntil(page, 'Tab', name);
      await page.keyboard.press('Enter');
      await showsOperation(page, name);
    }
  },
);

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

/** Presses a key until the element with a text has the focus. */
async function pressUntil(page: Page, key: string, text: string): Promise<void> {
  for (let count = 0; count < 50; count += 1) {
    await page.keyboard.press(key);
    if ((await page.evaluate('document.activeElement.textContent')) === text) return;
  }
  throw new Error(`${key} did not reach ${text}.`);
}

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
