// @module-tag needs/chromium
// @module-tag night/browser

import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { TEXTS } from '../../console/app/texts.ts';
import { ERRORS } from '../../src/model/errors.ts';
import { setAccountSuspended } from '../../src/operator/set-account-suspended.ts';
import { goTo, showScreen, startSite, storedBy } from '../support/browser.ts';
import { seedTenant, type Tenant } from '../support/gateway.ts';
import { accountToken, mutate } from '../support/requests.ts';

// The browser reports each response with an error.
const REFUSED = { provoked: /status of 401/ };

const UNKNOWN_TOKEN = `paw_acct_${'x'.repeat(125)}`;

const INVALID = [
  ['', TEXTS.tokenForm],
  ['paw_key_x', 'This is the private key of an app.'],
  ['päw', TEXTS.tokenForm],
  ['paw_acct_x', TEXTS.tokenCut(10, 134)],
  [UNKNOWN_TOKEN, ERRORS.TOKEN_INVALID[1]],
] as const;

const site = startSite();

test('a token leaves the address and the history at once, and is kept for the tab unless the person does not want it', async () => {
  const [first, second] = [await seedTenant(site.gateway), await seedTenant(site.gateway)];
  const page = await site.openConsole(first.token, REFUSED);
  const browser = await page.context().newCDPSession(page);
  const { entries } = await browser.send('Page.getNavigationHistory');
  expect(entries.map(({ url }) => url)).toEqual(['about:blank', `${site.gateway.url}/console#/`]);
  expect(await page.content()).not.toContain(first.token);
  expect(site.gateway.log()).not.toContain(first.token);

  await page.reload();
  await page.getByRole('link', { name: 'Tenant' }).click();
  await page.getByText('The project has no wallets.').waitFor();
  expect(await storedBy(page)).toEqual([['paw.token', first.token]]);
  await openMenu(page);
  await page.getByRole('button', { name: TEXTS.forget }).click();
  const field = tokenField(page);
  for (const [token, violation] of INVALID) {
    await field.fill(token);
    await field.press('Enter');
    await page.locator('.violation').getByText(violation).waitFor();
    await field.and(page.locator(':focus[aria-invalid=true]')).waitFor();
    expect(await field.inputValue()).toBe('');
  }
  await page.getByRole('button', { name: 'Show the request' }).click();
  await field.fill('paw_acct_');
  await page.getByText('Fill in the form first.').waitFor();
  expect(await field.inputValue()).toBe('paw_acct_');
  await field.fill(` ${first.token} `);
  await page.getByLabel(TEXTS.keepToken).uncheck();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('link', { name: 'Tenant' }).waitFor();
  expect(await storedBy(page)).toEqual([]);
  await page.reload();
  // As it is copied from a header, a command, a file with settings, and a terminal that breaks lines.
  const middle = second.token.length / 2;
  for (const text of [
    `Authorization: Bearer "${second.token}"`,
    `curl -H 'Authorization: Bearer ${second.token}' http://127.0.0.1:4000/project/projects`,
    ` export PAW_TOKEN='${second.token}'`,
    `PAW_TOKEN=${second.token.slice(0, middle)}  ${second.token.slice(middle)}`,
  ]) {
    await field.fill(text);
    await page.getByLabel(TEXTS.keepToken).uncheck();
    await field.press('Enter');
    await page.getByRole('link', { name: 'Tenant' }).waitFor();
    await page.reload();
  }
  await field.fill(second.token);
  await field.press('Enter');
  await openMenu(page);
  await page.getByText(second.account).waitFor();
});

test('a tab that a link opens has the token of its page, and one tab forgets it in all of them', async () => {
  const { account, token } = await seedTenant(site.gateway);
  const first = await site.openConsole(token);
  const context = first.context();
  const opened = async (page: Page, options: object, link = page.getByRole('link', { name: 'Tenant' })) => {
    const opening = context.waitForEvent('page');
    await link.click(options);
    return opening;
  };
  const expectAccount = async (tab: Page) => {
    const menu = await openMenu(tab);
    await menu.getByText(account).waitFor();
    await tab.keyboard.press('Escape');
    expect(await storedBy(tab)).toEqual([['paw.token', token]]);
  };
  const second = await opened(first, { modifiers: ['ControlOrMeta'] });
  await second.getByRole('heading', { name: 'Tenant', level: 1 }).waitFor();
  await expectAccount(second);
  await expectAccount(await opened(first, { button: 'middle' }));
  const third = await opened(first, { modifiers: ['Shift'] });
  await expectAccount(third);
  const explorer = await opened(third, { button: 'middle' }, third.getByRole('link', { name: 'GraphiQL' }));
  const field = explorer.getByLabel('Bearer token', { exact: true });
  await expect.poll(() => field.inputValue()).toBe(token);
  const back = explorer.getByRole('link', { name: 'Console' });
  await expectAccount(await opened(explorer, { modifiers: ['ControlOrMeta'] }, back));
  await third.getByRole('combobox', { name: 'Search' }).fill('ten');
  await expectAccount(
    await opened(third, { modifiers: ['ControlOrMeta'] }, third.getByRole('option').first()),
  );
  await first.getByRole('button', { name: 'Create project' }).click();
  await first.getByLabel('Title', { exact: true }).fill('Shop');

  await openMenu(second);
  await second.getByRole('button', { name: TEXTS.forget }).click();
  await second.getByRole('heading', { name: TEXTS.enterToken }).waitFor();
  await third.getByRole('alert').getByText(TEXTS.tokenRemoved).waitFor();
  await expect.poll(() => field.inputValue()).toBe('');
  await field.fill(token);
  for (const tab of context.pages()) await expect.poll(() => storedBy(tab)).toEqual([]);
  // What was entered is not lost.
  expect(await first.getByLabel('Title', { exact: true }).inputValue()).toBe('Shop');
  await first.getByRole('button', { name: 'Create the project' }).click();
  await first.getByRole('alert').getByText(TEXTS.tokenRemoved).waitFor();
});

test('another page of the origin neither gets a token by messages nor gives one', async () => {
  const [mine, other] = [await seedTenant(site.gateway), await seedTenant(site.gateway)];
  const page = await site.openConsole(mine.token);
  const stranger = await page.context().newPage();
  await goTo(stranger, `${site.gateway.url}/healthz`);
  await stranger.evaluate(`{
    globalThis.received = [];
    globalThis.channel = new BroadcastChannel('paw.token/');
    const times = [1, -1, 0, NaN, Infinity, Date.now() + 1e9, '1', null, undefined];
    const tokens = ['${other.token}', 'x'.repeat(1e6), 1, null, undefined, {}];
    const answers = tokens.flatMap((token) => times.map((lastUseMs) => ({ token, lastUseMs })));
    globalThis.messages = ['ask', ...answers, ...answers.map((answer) => [answer]), ...tokens, ...times, true, ['forget'], { forget: true }];
    channel.onmessage = ({ data }) => {
      received.push(data);
      for (const message of messages) channel.postMessage(message);
    };
    // A page that is opened would ask while it starts.
    setInterval(() => messages.forEach((message) => channel.postMessage(message)), 50);
  }`);
  const tab = await page.context().newPage();
  await goTo(tab, `${site.gateway.url}/console`);
  await tab.getByRole('heading', { name: TEXTS.enterToken }).waitFor();
  const explorer = await page.context().newPage();
  await goTo(explorer, `${site.gateway.url}/graphiql`);
  await explorer.locator('.graphiql-execute-button').waitFor();
  // Every page has read the messages that were sent before this one.
  await stranger.evaluate(`channel.postMessage('forget')`);
  await page.getByRole('alert').getByText(TEXTS.tokenRemoved).waitFor();
  expect(await stranger.evaluate('received')).toEqual([]);
  for (const each of [page, tab, explorer]) expect(await storedBy(each)).toEqual([]);
  expect(await tokenField(tab).inputValue()).toBe('');
  expect(await explorer.getByLabel('Bearer token', { exact: true }).inputValue()).toBe('');
});

test('a token that is entered after another tab has forgotten its one stays', async () => {
  const tenant = await seedTenant(site.gateway);
  const page = await site.openConsole(tenant.token, REFUSED);
  await page.getByRole('button', { name: 'Create project' }).click();
  await page.getByLabel('Title', { exact: true }).fill('Shop');
  const tab = await page.context().newPage();
  await goTo(tab, `${site.gateway.url}/console#token=${tenant.token}`);
  await openMenu(tab);
  await tab.getByRole('button', { name: TEXTS.forget }).click();
  await expect.poll(() => storedBy(page)).toEqual([]);
  await signOut(tenant.token);
  const create = page.getByRole('button', { name: 'Create the project' });
  await create.click();
  const dialog = page.getByRole('dialog', { name: 'Enter a token to continue' });
  const token = await issue(tenant);
  await tokenField(dialog).fill(token);
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await create.click();
  await page.getByRole('heading', { name: 'Shop', level: 1 }).waitFor();
  expect(await storedBy(page)).toEqual([['paw.token', token]]);
});

test('a token that has ended is asked for again above the screen, which another one of the account continues', async () => {
  const mine = await seedTenant(site.gateway, { projects: 2 });
  const other = await seedTenant(site.gateway, { projects: 3 });
  const page = await site.openConsole(mine.token, REFUSED);
  const find = page.getByLabel('Find by title');
  const dialog = page.getByRole('dialog', { name: 'Enter a token to continue' });
  const openTenant = () => page.getByRole('link', { name: 'Tenant' }).click();
  // So that no request is on its way when the token ends.
  const isLoaded = () => page.getByText('The project has no wallets.').waitFor();
  await find.fill('ten');
  await page.getByText('1 project', { exact: true }).waitFor();
  await signOut(mine.token);
  await openTenant();
  await dialog.getByRole('alert').getByText('no longer valid').waitFor();
  await dialog.getByText(TEXTS.keepPlace.join(mine.account)).waitFor();
  const token = await issue(mine);
  await tokenField(dialog).fill(token);
  await page.keyboard.press('Enter');
  await isLoaded();
  expect(await dialog.count()).toBe(0);
  const goBack = async () => {
    await page.goBack();
    await page.getByText('1 project', { exact: true }).waitFor();
    expect(await find.inputValue()).toBe('ten');
  };
  await goBack();

  // The same token continues if it is valid again.
  await setAccountSuspended(site.gateway.operator, { name: mine.account }, true);
  await openTenant();
  await tokenField(dialog).fill(token);
  await setAccountSuspended(site.gateway.operator, { name: mine.account }, false);
  await page.keyboard.press('Enter');
  await isLoaded();
  await goBack();

  // Another account's leaves nothing of the account before it.
  await signOut(token);
  await openTenant();
  await tokenField(dialog).fill(other.token);
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: `Continue as ${other.account}` }).click();
  await page.getByRole('link', { name: 'Project 3' }).waitFor();
  expect(new URL(page.url()).hash).toBe('#/');
  expect(await find.inputValue()).toBe('');
  expect(await page.content()).not.toContain(mine.account);
});

test('the token of a link takes the place of an open or a kept one of another principal only if the person says so', async () => {
  const [mine, other] = [await seedTenant(site.gateway, { projects: 2 }), await seedTenant(site.gateway)];
  const page = await site.openConsole(mine.token, REFUSED);
  const find = page.getByLabel('Find by title');
  await find.fill('ten');
  const follow = (token: string) => page.evaluate(`void (location.hash = '#token=${token}')`);
  const dialog = page.getByRole('dialog', { name: 'Use the token of the link?' });
  const replace = page.getByRole('button', { name: `Continue as ${other.account}` });
  await follow(other.token);
  await replace.waitFor();
  await dialog.getByRole('button', { name: 'Stay' }).and(page.locator(':focus')).waitFor();
  expect(await dialog.locator('.identity code').allInnerTexts()).toEqual([mine.account, other.account]);
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  expect(await find.inputValue()).toBe('ten');
  await follow(UNKNOWN_TOKEN);
  await dialog.getByText(ERRORS.TOKEN_INVALID[1]).waitFor();
  await dialog.getByRole('button', { name: 'Stay' }).click();
  await dialog.waitFor({ state: 'detached' });
  await follow(await issue(mine, { title: 'New' }));
  await page.getByRole('button', { name: 'New', exact: true }).waitFor();
  expect(await find.inputValue()).toBe('ten');
  await follow(other.token);
  await replace.click();
  await page.getByRole('link', { name: 'Tenant' }).waitFor();
  await openMenu(page);
  expect(await page.locator('.identity code').allInnerTexts()).toEqual([other.account]);
  expect(await page.content()).not.toContain(mine.account);

  await page.evaluate(`sessionStorage.setItem('paw.token', '${mine.token}')`);
  for (const [name, { token, account }] of [
    ['Stay', mine],
    [`Continue as ${other.account}`, other],
  ] as const) {
    await page.goto('about:blank');
    await goTo(page, `${site.gateway.url}/console#token=${other.token}`);
    await replace.waitFor();
    await page.getByRole('button', { name }).click();
    await openMenu(page);
    await page.locator('.menu').getByText(account).waitFor();
    expect(await storedBy(page)).toEqual([['paw.token', token]]);
  }
});

test("a page of another origin that has opened the console can't put a token into its address", async () => {
  const origin = 'http://other.example';
  const page = await site.newPage({ origins: [origin] });
  await page.route(`${origin}/`, (route) => route.fulfill({ body: '' }));
  await page.goto(`${origin}/`);
  const opening = page.waitForEvent('popup');
  await page.evaluate(`void (globalThis.opened = open('${site.gateway.url}/console'))`);
  await (await opening).getByRole('heading', { name: TEXTS.enterToken }).waitFor();
  expect(await page.evaluate('opened.closed')).toBe(true);
});

test('the menu says what a token is, and shows it what it may see only', async () => {
  const tenant = await seedTenant(site.gateway);
  const [onlyProject] = tenant.projects;
  const token = await issue(tenant, { onlyProject, readOnly: true, title: 'Audit' }, 60 * 3600);
  const page = await site.openConsole(token);
  expect(await page.locator('.mark.warning').innerText()).toBe('Expires in 2 days');
  const menu = await openMenu(page);
  const texts = ['Account token', 'Audit', 'Only Tenant', 'Read-only', tenant.account];
  expect(await menu.locator('.identity > *').allInnerTexts()).toEqual(texts);
  await menu.getByText('Expires in 2 days').waitFor();
  await page.keyboard.press('Escape');
  await menu.waitFor({ state: 'hidden' });
  const links = page.getByRole('navigation', { name: 'Pages' });
  expect(await links.innerText()).not.toContain('Tokens');
  await showScreen(page, 'tokens');
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
});

test('from a week before its end, an account token says on each screen when it ends and who has another one, and the list of tokens marks it', async () => {
  const tenant = await seedTenant(site.gateway);
  const week = 7 * 86_400;
  const maker = await issue(tenant, { title: 'Later' }, week + 3600);
  const [later, sooner] = [
    await site.openConsole(maker),
    await issue(tenant, { title: 'Sooner' }, week - 60),
  ];
  await later.getByRole('link', { name: 'Tokens' }).click();
  await later.getByText('3 valid tokens').waitFor();
  expect(await later.locator('tbody .warning').allInnerTexts()).toEqual(['in 6 days']);
  expect(await later.getByText(TEXTS.tokenExpires).count()).toBe(0);
  const expireTime = new Date(site.gateway.clock() + week * 500).toISOString();
  const { data } = await mutate(
    site.gateway.url,
    maker,
    'createToken',
    { title: 'Made', expireTime },
    'accessToken',
  );
  for (const [token, text] of [
    [
      sooner,
      /^This token expires in 6 days, on \d+ \w{3,4} \d{4}, \d\d:\d\d\. Ask the operator for a new one\.$/,
    ],
    [
      data.createToken.accessToken,
      /^This token expires in 3 days, on .+\. Create a new one with the token that created it, or ask /,
    ],
  ] as const) {
    const page = await site.openConsole(token);
    for (const screen of ['', 'tokens']) {
      await showScreen(page, screen);
      expect(await page.locator('p.reason').innerText()).toMatch(text);
    }
  }
});

/** Opens the menu of the session. */
async function openMenu(page: Page): Promise<Locator> {
  await page.locator('.opener').click();
  return page.locator('.menu');
}

function tokenField(place: Pick<Page, 'getByLabel'>) {
  return place.getByLabel('Token', { exact: true });
}

function issue(tenant: Tenant, fields: object = {}, ttlSeconds = 3600): Promise<string> {
  return accountToken(site.gateway, tenant, fields, ttlSeconds);
}

function signOut(token: string): Promise<unknown> {
  return mutate(site.gateway.url, token, 'signOut', {});
}
