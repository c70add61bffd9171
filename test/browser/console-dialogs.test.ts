// @module-tag needs/chromium
// @module-tag night/browser

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { CONSEQUENCES, TEXTS } from '../../console/app/texts.ts';
import { ERRORS } from '../../src/model/errors.ts';
import { NETWORK_LIST } from '../../src/model/network.ts';
import { addAddresses } from '../../src/operator/supply-addresses.ts';
import { expectAccessible } from '../support/accessibility.ts';
import { graphqlApi } from '../support/both-apis.ts';
import { showScreen, startSite, storedBy } from '../support/browser.ts';
import { addressLines, seedTenant, type Tenant } from '../support/gateway.ts';
import {
  accountToken,
  createApp,
  graphqlBody,
  mutate,
  PASSWORD,
  payloadOf,
  projectToken,
  tokenNameOf,
} from '../support/requests.ts';

const site = startSite();
const api = graphqlApi(() => site.gateway.url);

test('the key of a new app is shown once, is the same after a lost answer, and is gone after that', async () => {
  const tenant = await seedTenant(site.gateway);
  const page = await openProject(tenant, '/apps', /ERR_FAILED|status of 422/);
  const project = page.url();
  await page.getByRole('button', { name: 'Create app' }).click();
  await page.getByLabel('Title', { exact: true }).fill('Till');
  let lost = '';
  const waiting = Promise.withResolvers<void>();
  await page.route('**/graphql', async (route) => {
    lost = await (await route.fetch()).text();
    await waiting.promise;
    await route.abort();
  });
  await page.getByRole('button', { name: 'Create the app' }).click();
  await page.locator('form[aria-busy=true]').waitFor();
  // While the request is sent, nothing dismisses its dialog.
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  for (const name of ['Close', 'Cancel'])
    await page.getByRole('button', { name, exact: true }).click({ force: true });
  await page.goBack();
  waiting.resolve();
  await page.getByRole('alert').getByText(TEXTS.appliedOnce).waitFor();
  await page.unroute('**/graphql');
  await page.getByLabel('Title', { exact: true }).fill('Another till');
  await page.getByRole('button', { name: 'Create the app' }).click();
  await page.getByText(TEXTS.alreadySubmitted).waitFor();
  await page.getByLabel('Title', { exact: true }).fill('Till');
  await page.getByRole('button', { name: 'Create the app' }).click();

  const dialog = page.getByRole('dialog', { name: 'The private key of “Till”' });
  const key = await dialog.getByLabel('Private key', { exact: true }).inputValue();
  const lines = await dialog.locator('pre').allInnerTexts();
  const [, name = ''] = /CLIENT_ID=(\S+)/.exec(lines[0] ?? '') ?? [];
  expect(JSON.parse(lost).data.createApp.app.name).toBe(name);
  expect(JSON.parse(lost).data.createApp.privateKey).toBe(key);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await page.mouse.click(2, 2);
  await page.evaluate('void (location.hash = "#token=paw_acct_other")');
  await expect.poll(() => page.url()).not.toContain('token');
  await showScreen(page, '');
  const isAsked = page.waitForEvent('dialog');
  await page.evaluate('void setTimeout(() => location.reload())');
  const question = await isAsked;
  expect(question.type()).toBe('beforeunload');
  await question.dismiss();
  expect(lines[0]).toBe(`PAW_URL=${site.gateway.url}\nPAW_CLIENT_ID=${name}\nPAW_CLIENT_SECRET=${key}`);
  const { stdout } = await promisify(execFile)('sh', ['-c', `${lines[1]} -s`]);
  expect(JSON.parse(stdout).access_token).toMatch(/^paw_app_/);
  await dialog.getByRole('button', { name: 'Copy key' }).press('Enter');
  await dialog.getByText('Copied key').waitFor();

  await page.evaluate(`location.replace(${JSON.stringify(project)})`);
  await dialog.getByRole('button', { name: TEXTS.secretSaved('key') }).click();
  await page.getByText('Created “Till”.').waitFor();
  await page.getByRole('row').filter({ hasText: 'Till' }).getByText('Active').waitFor();
  await page.getByRole('link', { name: 'Apps 1', exact: true }).waitFor();
  expect(await page.content()).not.toContain(key);
  expect(JSON.stringify([await storedBy(page), page.url()])).not.toContain(key);
  const query = 'query ($name: ID!) { node(id: $name) { ... on Project { apps { totalCount } } } }';
  const { data } = await graphqlBody(site.gateway.url, tenant.token, query, { name: tenant.projects[0] });
  expect(data.node.apps.totalCount).toBe(1);
});

test('a token is created with what it may in words, is shown once, and the one of the page ends with its maker', async () => {
  const tenant = await seedTenant(site.gateway, { projects: 2 });
  const maker = await accountToken(site.gateway, tenant, {}, 20 * 86_400);
  const page = await site.openConsole(maker);
  await showScreen(page, 'tokens');
  await page.getByRole('button', { name: 'Create token' }).click();
  const form = page.getByRole('dialog', { name: 'Create a token' });
  await form.getByLabel('Title').fill('Pipeline');
  const ends = await form.getByLabel(TEXTS.expires).locator('option').allInnerTexts();
  expect(ends.map((text) => text.replace(/, on .*/, ''))).toEqual(['In 7 days', TEXTS.withCurrentToken]);
  await form.getByLabel(TEXTS.expires).selectOption({ index: 0 });
  await form.getByText(CONSEQUENCES.account.read).waitFor();
  await form.getByLabel(TEXTS.permissions).selectOption(TEXTS.readAndWrite);
  await form.getByText(CONSEQUENCES.account.change).waitFor();
  await form.getByLabel(TEXTS.access).selectOption('One project');
  await form.getByText(CONSEQUENCES.project.change).waitFor();
  await form.getByRole('combobox', { name: 'Project', exact: true }).click();
  await form.getByRole('option', { name: 'Project 2' }).click();
  await expectAccessible(page);
  await form.getByRole('button', { name: 'Create the token' }).click();

  const dialog = page.getByRole('dialog', { name: 'The token “Pipeline”' });
  const token = await dialog.getByLabel('Token', { exact: true }).inputValue();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await expectAccessible(page);
  const [settings = '', command] = await dialog.locator('pre').allInnerTexts();
  expect(settings).toBe(`PAW_URL=${site.gateway.url}\nPAW_TOKEN=${token}`);
  const { stdout } = await promisify(execFile)('sh', ['-c', `${command} -s`]);
  const [, second] = tenant.projects;
  expect(JSON.parse(stdout).projects.map(({ name }: { name: string }) => name)).toEqual([second]);
  await dialog.getByRole('button', { name: TEXTS.secretSaved('token') }).click();
  await page.getByText('Created “Pipeline”.').waitFor();
  const row = page.getByRole('row').filter({ hasText: 'Pipeline' });
  expect(await row.innerText()).toMatch(/in 6 days|in 7 days/);
  await row.getByRole('button', { name: 'More of “Pipeline”' }).click();
  const opened = await page.locator('.rest').innerText();
  expect(opened).toMatch(/Created\s+\d+ \w+ \d{4}, \d\d:\d\d by tokens/);
  expect(opened).toContain(`by tokens/${tokenNameOf(maker).slice(7, 11)}`);
  expect(await page.content()).not.toContain(token);
  expect(JSON.stringify([await storedBy(page), page.url()])).not.toContain(token);
});

test('a token that is created sees who has created it, and is asked for again when it ends with that one', async () => {
  const tenant = await seedTenant(site.gateway);
  const maker = await accountToken(site.gateway, tenant, { title: 'Maker' });
  const { accessToken } = await payloadOf(
    site.gateway.url,
    maker,
    'createToken',
    { title: 'A' },
    'accessToken',
  );
  const page = await site.openConsole(accessToken);
  await showScreen(page, 'tokens');
  await page.getByRole('button', { name: 'Revoke “Maker”' }).click();
  await page.getByText(`It created ${TEXTS.asksAgain}`).waitFor();
  await page.getByRole('button', { name: TEXTS.revokeToken }).click();
  await page.getByRole('heading', { name: TEXTS.enterToken }).waitFor();
  expect(await page.getByRole('alert').innerText()).toBe(TEXTS.tokenRevoked);
});

test.each([
  ['project', 'Edit project', 'updateProject', 'Theirs'],
  ['app', 'Rename', 'updateApp', 'Mine'],
] as const)(
  'what somebody else has saved in the %s meanwhile is shown, and not overwritten before that',
  async (kind, opener, mutation, saved) => {
    const { token, project } = await seedTenant(site.gateway);
    const app = await createApp(api, token, { title: 'Till' });
    const name = kind === 'app' ? app.name : project;
    const page = await site.openConsole(token, { provoked: /status of 412/ });
    await showScreen(page, kind === 'app' ? name : `${name}/settings`);
    await page.getByRole('button', { name: opener }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Title').fill('Mine');
    if (kind === 'project') {
      await dialog.getByLabel('Description').fill('Also mine');
      await dialog.getByLabel('Reference').fill('mine:1');
    }
    await mutate(site.gateway.url, token, mutation, { name, title: 'Theirs' });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText(`${TEXTS.changedByOthers} this ${kind}`).waitFor();
    await dialog.getByText(`${TEXTS.changedByOthers} this to “Theirs”.`).waitFor();
    await expectAccessible(page);
    if (kind === 'project') await dialog.getByRole('button', { name: 'Take over' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('status').getByText(`Saved “${saved}”.`).waitFor();
    await page.getByRole('heading', { name: saved, level: 1 }).waitFor();
    if (kind !== 'project') return;
    const reference = page.getByText('mine:1', { exact: true });
    await reference.waitFor();
    await page.getByRole('button', { name: opener }).click();
    await dialog.getByLabel('Reference').fill('');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await reference.waitFor({ state: 'detached' });
  },
);

test('a changed form is closed by Escape, its button or the history only if the person says so', async () => {
  const tenant = await seedTenant(site.gateway, { wallets: 1 });
  const page = await openProject(tenant);
  const dialog = page.getByRole('dialog', { name: 'Edit the wallet' });
  const edit = page.getByRole('button', { name: 'Edit Wallet 1' });
  const questions: string[] = [];
  let answer = false;
  page.on('dialog', (question) => {
    questions.push(question.message());
    return answer ? question.accept() : question.dismiss();
  });
  const closings = [
    () => page.keyboard.press('Escape'),
    () => dialog.getByRole('button', { name: 'Close' }).click(),
    () => page.goBack(),
  ];
  for (const close of closings) {
    await edit.click();
    await dialog.waitFor();
    await close();
    await dialog.waitFor({ state: 'detached' });
    expect(questions).toEqual([]);
    await showScreen(page, `${tenant.projects[0]}`);

    await edit.click();
    await dialog.getByLabel('Title').fill('Changed');
    for (const isClosed of [false, true]) {
      answer = isClosed;
      await close();
      await expect.poll(() => questions.length).toBe(isClosed ? 2 : 1);
      if (isClosed) continue;
      expect(await dialog.getByLabel('Title').inputValue()).toBe('Changed');
      expect(page.url()).toContain(tenant.projects[0]);
    }
    await dialog.waitFor({ state: 'detached' });
    questions.length = 0;
    await showScreen(page, `${tenant.projects[0]}`);
  }
});

test('the form of a wallet finds one of 1,001 projects when its field is opened, and sends what was changed alone, with a key', async () => {
  const tenant = await seedTenant(site.gateway, { projects: 1001, wallets: 1 });
  const page = await openProject(tenant);
  const asked: unknown[] = [];
  page.on('request', (request) => {
    const { query = '', variables } = request.postDataJSON() ?? {};
    if (query.startsWith('query Projects')) asked.push(variables);
  });
  await page.getByRole('button', { name: 'Edit Wallet 1' }).click();
  const field = page.getByRole('combobox', { name: 'Project', exact: true });
  await field.waitFor();
  expect(asked).toEqual([]);
  await field.focus();
  expect(await field.getAttribute('aria-expanded')).toBe('false');
  await page.keyboard.press('ArrowDown');
  await page.getByRole('option').nth(7).waitFor();
  await page.getByText(TEXTS.moreProjects(993)).waitFor();
  const before = await page.getByLabel('Network').boundingBox();
  await page.keyboard.type('project 100');
  // What Enter would choose is not there yet.
  await page.keyboard.press('Enter');
  expect(await field.inputValue()).toBe('project 100');
  await page.getByRole('option', { name: 'Project 1001' }).waitFor();
  expect(await page.getByLabel('Network').boundingBox()).toEqual(before);
  const options = await page.getByRole('listbox').getByRole('option').allInnerTexts();
  expect(options).toEqual(['Project 100', 'Project 1000', 'Project 1001']);
  await page.keyboard.press('ArrowUp');
  await page.locator('[aria-selected=true]').getByText('Project 1001').waitFor();
  await page.keyboard.press('Enter');
  expect(await field.inputValue()).toBe('Project 1001');

  await page.getByLabel('New password').fill(PASSWORD);
  const sending = page.waitForRequest((request) => request.postData()?.includes('mutation') ?? false);
  await page.getByRole('button', { name: 'Save' }).click();
  const sent = await sending;
  await page.getByText('Saved “Wallet 1”, which is now in “Project 1001”.').waitFor();
  const input = { name: tenant.wallets[0], project: tenant.projects[1000], password: PASSWORD };
  expect(sent.postDataJSON().variables.input).toEqual({ ...input, ifMatch: expect.any(String) });
  expect(await sent.headerValue('idempotency-key')).toMatch(/^\d+(-\d+){3}$/);
  expect(await page.getByText('Wallet 1', { exact: true }).count()).toBe(0);
  await page.getByRole('link', { name: 'Wallets 0', exact: true }).waitFor();
});

test('a new wallet gets an address of a network that has one, and when the last is taken the dialog says how to add some', async () => {
  const tenant = await seedTenant(site.gateway, { addresses: 1 });
  const { account } = tenant;
  const supply = (network: string, count: number, start: number) =>
    addAddresses(site.gateway.operator, { account, network }, addressLines(count, start));
  await supply('NETWORK_POLYGON', 12, 1);
  const page = await openProject(tenant);
  const dialog = page.getByRole('dialog', { name: 'Create a wallet' });
  const network = dialog.getByLabel('Network');
  const shown = async () => [
    await network.locator('option').allInnerTexts(),
    await network.locator('option:disabled').count(),
    await dialog.locator('pre').allInnerTexts(),
  ];
  const others = NETWORK_LIST.slice(2).map(
    ({ title, mark }) => `${title} (${mark.toLowerCase()}) — no addresses`,
  );
  await page.getByRole('button', { name: 'Create wallet' }).click();
  await expect
    .poll(shown)
    .toEqual([
      ['Ethereum — 1 address left', 'Polygon — 12 addresses left', ...others],
      4,
      [commandFor(account, 'NETWORK_ETHEREUM_SEPOLIA')],
    ]);
  const create = dialog.getByRole('button', { name: 'Create the wallet' });
  await create.click();
  await dialog.getByText('Must be 1 to 200 characters long.').waitFor();
  await dialog.getByLabel('Title').fill('Till');
  await dialog.getByLabel('Password').fill(PASSWORD);
  const { project } = tenant;
  const other = { project, title: 'Other', description: '', network: 'NETWORK_ETHEREUM' };
  await payloadOf(site.gateway.url, tenant.token, 'createWallet', other, 'wallet { name }');
  await create.click();
  await dialog.getByText(ERRORS.NO_ADDRESS_LEFT[1]).waitFor();
  const none = 'Ethereum — no addresses';
  await expect
    .poll(shown)
    .toEqual([
      [none, 'Polygon — 12 addresses left', ...others],
      5,
      [commandFor(account, 'NETWORK_ETHEREUM')],
    ]);
  await expectAccessible(page);
  await supply('NETWORK_ETHEREUM', 1, 13);
  // It is for the same network, although another one has addresses.
  await dialog.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Created “Till”.').waitFor();
  const row = page.getByRole('row').filter({ hasText: 'Till' });
  await row.getByRole('cell', { name: 'Ethereum', exact: true }).waitFor();
  await page.getByRole('link', { name: 'Wallets 2', exact: true }).waitFor();

  await expect
    .poll(async () => {
      await page.getByRole('button', { name: 'Create wallet' }).click();
      const chosen = await network.inputValue();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      return chosen;
    })
    .toBe('NETWORK_POLYGON');
});

test('a project token is told how to add addresses when its wallet gets none, because it can count none', async () => {
  const tenant = await seedTenant(site.gateway, { addresses: 1 });
  const page = await site.openConsole(await projectToken(site.gateway, tenant), { provoked: /status of 4/ });
  await page.getByRole('button', { name: 'Create wallet' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create a wallet' });
  expect(await dialog.locator('pre').count()).toBe(0);
  await dialog.getByLabel('Title').fill('Till');
  await dialog.getByLabel('Network').selectOption('Polygon');
  await dialog.getByRole('button', { name: 'Create the wallet' }).click();
  await dialog.getByText(commandFor(tenant.account, 'NETWORK_POLYGON')).waitFor();
  await dialog.getByLabel('Network').selectOption('Ethereum');
  await dialog.getByRole('button', { name: 'Create the wallet' }).click();
  await page.getByText('Created “Till”.').waitFor();
});

test('a token is shown the buttons of what it may do only, also when it continues for another one', async () => {
  const tenant = await seedTenant(site.gateway, { wallets: 1 });
  const app = await createApp(api, tenant.token, { title: 'Till' });
  const [onlyProject = ''] = tenant.projects;
  const readOnly = await accountToken(site.gateway, tenant, { readOnly: true });
  const created = await payloadOf(
    site.gateway.url,
    tenant.token,
    'createToken',
    { title: 'A' },
    'accessToken',
  );
  const ofApp = ['Rename', TEXTS.rotateKey, 'Deactivate', 'Delete'];
  const screens = ['', onlyProject, `${onlyProject}/apps`, `${onlyProject}/settings`, app.name, 'tokens'];
  const expectButtons = async (page: Page, expected: readonly (readonly string[])[]) => {
    for (const [index, screen] of screens.entries()) {
      await showScreen(page, screen);
      await page
        .locator(screen === '' ? 'table' : 'main')
        .first()
        .waitFor();
      await page.locator('.loading').waitFor({ state: 'detached' });
      const buttons = page.getByRole('button', {
        name: /^(Edit|Create |Archive|Rename|Rotate key|Deactivate|Delete)/,
      });
      // Until the new screen is drawn, the one before it has nothing to load.
      await expect.poll(() => buttons.allInnerTexts(), { message: screen }).toEqual(expected[index]);
    }
  };
  const wallets = ['Create wallet', 'Edit'];
  const ofProject = ['Edit project'];
  const inProject = [...ofProject, ...wallets];
  const ofTabs = [inProject, [...ofProject, 'Create app'], ofProject];
  const ofAccount = [inProject, [...ofProject, 'Create app'], [...ofProject, 'Delete project']];
  const ofResources = [['Create project'], ...ofAccount, ofApp];
  for (const [token, buttons] of [
    [tenant.token, [...ofResources, ['Create token']]],
    [created.accessToken, [...ofResources, []]],
    [await accountToken(site.gateway, tenant, { onlyProject }), [inProject, ...ofTabs, ofApp, []]],
    [await projectToken(site.gateway, tenant), [wallets, wallets, [], [], [], []]],
    [readOnly, [[], [], [], [], [], []]],
  ] as const) {
    await expectButtons(await site.openConsole(token), buttons);
  }

  const page = await site.openConsole(tenant.token, { provoked: /status of 401/ });
  await mutate(site.gateway.url, tenant.token, 'signOut', {});
  await showScreen(page, onlyProject);
  await page.getByRole('dialog', { name: 'Enter a token to continue' }).waitFor();
  await page.evaluate(`void (location.hash = '#token=${readOnly}')`);
  await page.getByRole('link', { name: 'Wallet 1' }).waitFor();
  await expectButtons(page, [[], [], [], [], [], []]);
});

/** The command that adds addresses. */
function commandFor(account: string, network: string): string {
  return `npm run -s paw -- address add --account ${account} --network ${network} addresses.txt`;
}

/** Opens the default project in the console. @param tab such as `/apps` */
async function openProject({ projects, token }: Tenant, tab = '', provoked?: RegExp): Promise<Page> {
  const page = await site.openConsole(token, provoked && { provoked });
  await showScreen(page, `${projects[0]}${tab}`);
  await page.getByRole('navigation', { name: 'Parts of the project' }).waitFor();
  return page;
}
