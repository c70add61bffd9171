// @module-tag needs/chromium
// @module-tag night/browser

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { ACTIONS, TEXTS } from '../../console/app/texts.ts';
import { AUDIT_ACTIONS } from '../../src/model/audit-event.ts';
import { expectAccessible } from '../support/accessibility.ts';
import { graphqlApi } from '../support/both-apis.ts';
import { pasted, showScreen, startSite } from '../support/browser.ts';
import { seedTenant, type Tenant } from '../support/gateway.ts';
import { accountToken, createApp, mutate, projectTokenOf, resultOf, signIn } from '../support/requests.ts';
import { addEvents } from '../support/rows.ts';

const site = startSite();

const api = graphqlApi(() => site.gateway.url);

// More than a page.
const MANY = 30;

test('each list keeps its rows, its scroll, its open row and the focus, on the way back and after a reload', async () => {
  const tenant = await seedTenant(site.gateway, { projects: 2 * MANY + 60, wallets: MANY });
  const { token, project, wallet } = tenant;
  for (let n = 1; n <= MANY; n += 1) {
    await issue(tenant, { title: `Token ${n}`, onlyProject: project });
    await createApp(api, token, { title: `App ${n}` });
  }
  await resultOf(api.updateWallet(token, wallet, { title: 'Wallet 0' }));
  const page = await site.openConsole(token);
  const rows = page.locator('tbody tr:not(.rest)');
  const scrolled = () => page.evaluate<number>('scrollY');
  for (const [screen, count] of [
    // More than the API returns at once.
    ['', 2 * MANY + 60],
    [project, MANY],
    [`${project}?title=wallet`, MANY],
    [`${project}/apps`, MANY],
    ['wallets?title=wallet', MANY],
    ['tokens', MANY + 1],
    ['events', 5 * MANY + 63],
    ['events?action=app.create&order=reversed', MANY],
    [wallet, 2],
  ] as const) {
    await showScreen(page, 'none');
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await showScreen(page, screen);
    await rows.first().waitFor();
    const showAll = async () => {
      await page.evaluate('scrollTo(0, document.body.scrollHeight)');
      return rows.count();
    };
    await expect.poll(showAll, { message: screen }).toBe(count);
    await page.locator('h1').and(page.locator(':focus')).waitFor();
    const name = await rows
      .filter({ has: page.locator('a') })
      .last()
      .getAttribute('data-name');
    const row = page.locator(`tr:not(.rest)[data-name="${name}"]`);
    const link = row.locator('a').locator('visible=true').first();
    await row.locator('.turn').click();
    await row.locator('.turn[aria-expanded=true]').waitFor();
    await link.scrollIntoViewIfNeeded();
    const before = [page.url(), await scrolled(), await rows.count()];
    if (count > 2) expect(before[1]).toBeGreaterThan(100);
    await link.click();
    await row.waitFor({ state: 'detached' });
    await expect.poll(scrolled).toBe(0);
    for (const come of [() => page.goBack(), () => page.reload()]) {
      await come();
      await link.and(page.locator(':focus')).waitFor();
      expect([page.url(), await scrolled(), await rows.count()]).toEqual(before);
      expect(await page.locator('.turn[aria-expanded=true]').count()).toBe(1);
      await row.locator('.turn[aria-expanded=true]').waitFor();
    }
  }
  // A new address and a new filter begin at the top of a list of one page.
  await showScreen(page, '');
  await expect.poll(() => rows.count()).toBe(24);
  expect(await scrolled()).toBe(0);
});

test('the head of the column of times shows the newest or the oldest first, beyond one page', async () => {
  const tenant = await seedTenant(site.gateway, { projects: 60, wallets: MANY });
  for (let n = 1; n <= MANY; n += 1) {
    await issue(tenant, { title: `Token ${n}` });
    await createApp(api, tenant.token, { title: `App ${n}` });
  }
  const page = await site.openConsole(tenant.token);
  const titles = page.locator('tbody th');
  for (const [screen, column, count] of [
    ['', 'Created', 60],
    [tenant.project, 'Created', MANY],
    [`${tenant.project}/apps`, 'Created', MANY],
    ['wallets?title=wallet', 'Created', MANY],
    ['tokens', 'Created', MANY + 1],
    ['events', 'Time', 3 * MANY + 62],
  ] as const) {
    await showScreen(page, screen);
    const head = page.getByRole('columnheader', { name: column, exact: true });
    const all = async () => {
      await page.evaluate('scrollTo(0, document.body.scrollHeight)');
      return titles.count();
    };
    await expect.poll(all, { message: screen }).toBe(count);
    const forwards = await titles.allInnerTexts();
    const direction = await head.getAttribute('aria-sort');
    expect(direction).toBe(screen === 'events' ? 'descending' : 'ascending');
    await head.getByRole('button').click();
    await expect.poll(() => titles.first().innerText()).toBe(forwards.at(-1));
    expect(await head.getAttribute('aria-sort')).not.toBe(direction);
    expect(new URL(page.url()).hash).toMatch(/[?&]order=reversed$/);
    await page.reload();
    await expect.poll(all, { message: screen }).toBe(count);
    expect(await titles.allInnerTexts()).toEqual(forwards.toReversed());
    await head.getByRole('button').click();
    await expect.poll(() => titles.first().innerText()).toBe(forwards[0]);
    expect(await head.getAttribute('aria-sort')).toBe(direction);
  }
  await expectAccessible(page);
});

test('what was created is the first row of a long list, and linked in the message', async () => {
  const tenant = await seedTenant(site.gateway, { wallets: 251, addresses: 1 });
  for (let n = 1; n <= MANY; n += 1) {
    await issue(tenant, { title: `Token ${n}` });
    await createApp(api, tenant.token, { title: `App ${n}` });
  }
  // What is created in the same millisecond has no order.
  site.gateway.clock.advance(1000);
  const page = await site.openConsole(tenant.token);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  for (const [screen, kind, secret] of [
    [tenant.project, 'wallet', ''],
    [`${tenant.project}/apps`, 'app', 'key'],
    ['tokens', 'token', 'token'],
  ] as const) {
    await showScreen(page, screen);
    await button(`Create ${kind}`).click();
    await page.getByRole('dialog').getByLabel('Title').fill('Till');
    await button(`Create the ${kind}`).click();
    if (secret) await button(TEXTS.secretSaved(secret)).click();
    const message = page.getByRole('status').filter({ hasText: 'Created “Till”.' });
    await message.waitFor();
    await expect.poll(() => page.locator('tbody th').first().innerText()).toMatch(/^Till/);
    expect(await page.getByRole('columnheader', { name: 'Created' }).getAttribute('aria-sort')).toBe(
      'descending',
    );
    if (kind === 'token') return;
    await message.getByRole('link', { name: 'Till' }).click();
    await page.getByRole('heading', { name: 'Till', level: 1 }).waitFor();
  }
});

test('the tokens of the account are listed beyond one page', async () => {
  const tenant = await seedTenant(site.gateway);
  for (let n = 1; n <= MANY; n += 1) await issue(tenant, { title: `Token ${n}` });
  const onlyProject = tenant.projects[0];
  await issue(tenant, { title: '<img src=x onerror=alert(1)>', onlyProject, readOnly: true });
  const page = await openScreen('tokens', tenant.token);
  const rows = page.locator('tbody tr');
  await page.getByText(`${MANY + 2} valid tokens`).waitFor();
  expect(await rows.first().innerText()).toContain('This token');
  await page.getByRole('button', { name: 'Show more' }).press('Enter');
  await page.getByRole('heading', { name: 'Tokens' }).and(page.locator(':focus')).waitFor();
  const row = rows.filter({ hasText: '<img src=x onerror=alert(1)>' });
  expect(await row.innerText()).toMatch(/Read-only.*Tenant.*Never/s);
});

test('the token of an app has the title of the app', async () => {
  const tenant = await seedTenant(site.gateway);
  await signIn(api, tenant.token, await createApp(api, tenant.token, { title: 'Till' }));
  const page = await openScreen('tokens', tenant.token);
  await page.getByRole('button', { name: 'Revoke “Till”' }).click();
  await page.getByRole('dialog').getByText(`“Till” ${TEXTS.stopsWorking}`).waitFor();
  // Only the account token, by which the page was opened, has none.
  expect(await page.getByText('Without a title').count()).toBe(1);
});

test('a read-only token is shown no button to end one', async () => {
  const page = await openScreen('tokens', await issue(await seedTenant(site.gateway), { readOnly: true }));
  await page.getByText('2 valid tokens').waitFor();
  expect(await page.getByRole('button', { name: 'Revoke' }).count()).toBe(0);
});

test('the events are listed beyond one page, by their action, and each request id can be copied', async () => {
  const tenant = await seedTenant(site.gateway);
  for (let n = 1; n <= MANY; n += 1) await issue(tenant, { title: `Token ${n}` });
  // Events of the same millisecond have no order.
  site.gateway.clock.advance(1000);
  const { response } = await api.createApp(tenant.token, { title: 'App', active: true });
  const page = await openScreen('events', tenant.token);
  const rows = page.locator('tbody tr');
  // The creations of the account, its project, its tokens and the app.
  await page.getByText(`${MANY + 4} events`).waitFor();
  await page.getByRole('button', { name: 'More of App created' }).click();
  expect(await rows.nth(1).innerText()).toMatch(/apps\/\w{26}.*app\.create.*127\.0\.0\.1/s);
  await rows.first().getByRole('link', { name: 'App' }).waitFor();
  await rows
    .first()
    .getByRole('link', { name: /^tokens\/\w{4}…\w{4}$/ })
    .waitFor();
  await page.getByRole('button', { name: 'Show more' }).scrollIntoViewIfNeeded();
  expect(await rows.filter({ hasText: 'Account created' }).innerText()).toContain('the operator');

  const filter = page.getByLabel('Action');
  const options = await filter.locator('option').all();
  expect(await Promise.all(options.map((option) => option.getAttribute('value')))).toEqual([
    '',
    ...AUDIT_ACTIONS,
  ]);
  expect(await filter.locator('option').allInnerTexts()).toContain(ACTIONS['app.rotate_key']);
  await filter.selectOption('App created');
  await page.getByText('1 event', { exact: true }).waitFor();
  expect(new URL(page.url()).hash).toBe('#/events?action=app.create');
  await page.getByRole('button', { name: 'Copy request ID' }).click();
  expect(await pasted(page)).toBe(response.headers.get('x-request-id'));
});

test('the history of a wallet says what was changed, and by which app, also when the token of the app has ended', async () => {
  const { token, wallet, account } = await seedTenant(site.gateway, { wallets: 1 });
  const app = await createApp(api, token, { title: 'Point of sale' });
  const project = await projectTokenOf(api, token, app);
  await resultOf(api.updateWallet(project, wallet, { title: 'Till', description: '' }));
  await mutate(site.gateway.url, project, 'signOut', {});
  await addEvents(site.gateway.database, account, 1000);
  const page = await site.openConsole(token);
  await showScreen(page, wallet);
  const row = page.locator('tbody tr').filter({ hasText: 'Wallet updated: title, description' });
  await row.getByRole('link', { name: 'app Point of sale' }).click();
  await page.getByRole('heading', { name: 'Point of sale', level: 1 }).waitFor();
  await page.locator('a[href="#/events"]').click();
  await page.getByText('1,000 or more events', { exact: true }).waitFor();
});

test('the events of a filter whose request fails are not those of the filter before', async () => {
  const tenant = await seedTenant(site.gateway);
  const page = await openScreen('events', tenant.token, /status of 429/);
  const rows = page.locator('tbody tr');
  await rows.filter({ hasText: 'Account created' }).waitFor();
  await page.route('**/graphql', (route) => route.fulfill({ status: 429, body: '{}' }));
  await page.getByLabel('Action').selectOption('Project created');
  await page.getByRole('alert').waitFor();
  expect(await rows.count()).toBe(0);
  await page.unroute('**/graphql');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('1 event', { exact: true }).waitFor();
  expect(await rows.innerText()).toContain('Project created');
});

test('the events of a time, and of a resource that is gone, have a link, which has the time in UTC', async () => {
  const tenant = await seedTenant(site.gateway, { wallets: 1 });
  const { name } = await createApp(api, tenant.token, { title: 'Till' });
  await mutate(site.gateway.url, tenant.token, 'deleteApp', { name });
  // At 05:24:10 of the next day in India.
  await addEvents(site.gateway.database, tenant.account, 5);
  const page = await site.openConsole(tenant.token, { timezoneId: 'Asia/Kolkata' });
  const sent: string[] = [];
  page.on('request', (request) => sent.push(request.postDataJSON()?.variables?.since ?? ''));
  const hasHash = (hash: string) => expect.poll(() => new URL(page.url()).hash).toBe(hash);
  await showScreen(page, tenant.wallet);
  await page.getByRole('link', { name: 'Filter by action or time' }).click();
  await page.getByText('1 event', { exact: true }).waitFor();
  await hasHash(`#/events?resource=${tenant.wallet}`);
  await page.getByRole('button', { name: 'Show all' }).click();
  await page.getByRole('button', { name: 'More of App deleted' }).click();
  await page.getByRole('link', { name: 'Only its events' }).click();
  await page.getByText('2 events', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Show all' }).click();

  const [from, until] = [page.getByLabel('From'), page.getByLabel('Until')];
  await until.fill('2016-07-31T05:25');
  await page.getByText('5 events', { exact: true }).waitFor();
  await from.focus();
  await page.keyboard.type('07312016\t0525AM');
  await page.getByText('No events found.').waitFor();
  expect(sent.filter((since) => since && !since.startsWith('2016-07-3'))).toEqual([]);
  await from.fill('2016-07-31T05:24');
  await page.getByText('5 events', { exact: true }).waitFor();
  await hasHash('#/events?until=2016-07-30T23%3A55%3A00.000Z&since=2016-07-30T23%3A54%3A00.000Z');
  await page.reload();
  await page.getByText('5 events', { exact: true }).waitFor();
  expect(await from.inputValue()).toBe('2016-07-31T05:24');
  await from.fill('');
  await until.fill('');
  await hasHash('#/events');
  await page.getByRole('button', { name: 'More of App deleted' }).waitFor();
});

test('an archived wallet leaves the list, is in that of the archived ones by its address, and is brought back', async () => {
  const tenant = await seedTenant(site.gateway, { wallets: 2 });
  const page = await site.openConsole(tenant.token);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const open = async (name: string) => {
    await page.goto(new URL(`#/${name}`, page.url()).href);
    await page.locator('.loading').waitFor({ state: 'detached' });
  };
  await open(tenant.wallet);
  await button('Archive').click();
  await button('Archive the wallet').click();
  await page.getByText('Archived “Wallet 1”.').waitFor();
  await page.getByText('Wallet archived').waitFor();
  await button(TEXTS.unarchive).waitFor();
  expect(await button('Edit wallet').count()).toBe(0);

  await open(tenant.project);
  await page.getByText('1 wallet', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Wallet 2' }).waitFor();
  await page.getByLabel('Archived').check();
  const row = page.getByRole('row').filter({ hasText: 'Wallet 1' });
  await row.getByText('Archived').waitFor();
  expect(new URL(page.url()).hash).toBe(`#/${tenant.project}?archived=true`);
  expect([await page.getByRole('link', { name: 'Wallet 2' }).count(), await button('Edit').count()]).toEqual([
    0, 0,
  ]);
  await page.reload();
  await row.getByText('Archived').waitFor();
  expect(await page.getByLabel('Archived').isChecked()).toBe(true);

  await open('wallets?title=wallet');
  await page.getByRole('link', { name: 'Wallet 2' }).waitFor();
  await page.getByLabel('Archived').check();
  await page.getByRole('link', { name: 'Wallet 1' }).click();
  await button(TEXTS.unarchive).click();
  await button(TEXTS.unarchiveWallet).click();
  await page.getByText('Unarchived “Wallet 1”.').waitFor();
  await button('Edit wallet').waitFor();
});

function issue(tenant: Tenant, fields: object): Promise<string> {
  return accountToken(site.gateway, tenant, fields);
}

/** Opens a screen of the console by its link. */
async function openScreen(name: string, token: string, provoked?: RegExp): Promise<Page> {
  const page = await site.openConsole(token, provoked && { provoked });
  await page.locator(`a[href="#/${name}"]`).click();
  return page;
}
