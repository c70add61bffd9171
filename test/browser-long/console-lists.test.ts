import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { createAccountToken } from '../../src/data/create-account-token.ts';
import { AUDIT_ACTIONS } from '../../src/model/audit-event.ts';
import { tokenStatus } from '../support/actors.ts';
import { graphqlApi } from '../support/apis.ts';
import { startSite } from '../support/browser.ts';
import { seedTenant, type Tenant } from '../support/gateway.ts';

const site = startSite();

const api = graphqlApi(() => site.gateway.url);

// More than a page.
const MANY = 30;

test('the tokens of the account are listed beyond one page, and one that is revoked ends at once', async () => {
  const tenant = await seedTenant(site.gateway);
  for (let n = 1; n <= MANY; n += 1) await issue(tenant, { title: `Token ${n}` });
  const onlyProject = tenant.projects[0];
  const leaked = await issue(tenant, { title: '<img src=x onerror=alert(1)>', onlyProject, readOnly: true });
  const page = await openScreen('tokens', tenant.token);
  const rows = page.locator('tbody tr');
  await page.getByText(`${MANY + 2} valid tokens`).waitFor();
  expect(await rows.first().innerText()).toContain('This token');
  await page.getByRole('button', { name: 'Show more' }).press('Enter');
  await page.getByRole('heading', { name: 'Tokens' }).and(page.locator(':focus')).waitFor();
  const row = rows.filter({ hasText: '<img src=x onerror=alert(1)>' });
  expect(await row.innerText()).toMatch(/Read-only.*Tenant.*Never/s);

  await row.getByRole('button', { name: 'Revoke' }).click();
  const dialog = page.getByRole('dialog');
  expect(await dialog.innerText()).toContain('“<img src=x onerror=alert(1)>” ends at once and for ever');
  await dialog.getByRole('button', { name: 'Revoke the token' }).click();
  await page.getByText(`${MANY + 1} valid tokens`).waitFor();
  await page.getByText('The token “<img src=x onerror=alert(1)>” has ended.').waitFor();
  expect(await row.count()).toBe(0);
  expect(await tokenStatus(api, leaked)).toBe('TOKEN_INVALID');
  expect(await tokenStatus(api, tenant.token)).toBe('ok');
});

test('after the revocation of its own token, the console asks for another one and says why', async () => {
  const { token } = await seedTenant(site.gateway);
  const page = await openScreen('tokens', token);
  await page.getByRole('button', { name: 'Revoke' }).click();
  expect(await page.getByRole('dialog').innerText()).toContain('It is the token of this page');
  await page.getByRole('button', { name: 'Revoke the token' }).click();
  await page.getByRole('heading', { name: 'Enter a token' }).waitFor();
  expect(await page.getByRole('alert').innerText()).toBe('The token has ended.');
  expect(await tokenStatus(api, token)).toBe('TOKEN_INVALID');
});

test('a read-only token is shown no button to revoke', async () => {
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
  await rows.first().getByText('App created').click();
  const details = rows.first().locator('details');
  expect(await details.innerText()).toMatch(/app\.create.*apps\/\w{26}.*127\.0\.0\.1/s);
  await rows.first().getByRole('link', { name: 'App' }).waitFor();
  await rows
    .first()
    .getByRole('link', { name: /^tokens\/\w{4}…\w{4}$/ })
    .waitFor();
  await page.getByRole('button', { name: 'Show more' }).scrollIntoViewIfNeeded();
  expect(await rows.filter({ hasText: 'Account created' }).innerText()).toContain('The operator');

  const filter = page.getByLabel('Action');
  const options = await filter.locator('option').all();
  expect(await Promise.all(options.map((option) => option.getAttribute('value')))).toEqual([
    '',
    ...AUDIT_ACTIONS,
  ]);
  expect(await filter.locator('option').allInnerTexts()).toContain('App got a new key');
  await filter.selectOption('App created');
  await page.getByText('1 event', { exact: true }).waitFor();
  expect(new URL(page.url()).hash).toBe('#/events?action=app.create');
  await page.getByRole('button', { name: 'Copy the request id' }).click();
  expect(await pasted(page)).toBe(response.headers.get('x-request-id'));
});

test('the events of a filter whose request fails are not those of the filter before', async () => {
  const tenant = await seedTenant(site.gateway);
  const page = await site.newPage({ provoked: /status of 429/ });
  await enter(page, tenant.token);
  await page.locator('a[href="#/events"]').click();
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

async function issue({ account }: Tenant, fields: object): Promise<string> {
  const { accessToken } = await createAccountToken(site.gateway.admin, { account, ...fields }, 86_400);
  return accessToken;
}

/** Returns what the page has copied. Reading the clipboard would need a permission, pasting does not. */
async function pasted(page: Page): Promise<string> {
  await page.evaluate('document.querySelector("main").append(document.createElement("textarea"))');
  const field = page.locator('main > textarea');
  await field.press('Control+V');
  const text = await field.inputValue();
  await page.evaluate('document.querySelector("main > textarea").remove()');
  return text;
}

/** Opens a screen of the console by its link. */
async function openScreen(name: string, token: string): Promise<Page> {
  const page = await site.newPage();
  await enter(page, token);
  await page.locator(`a[href="#/${name}"]`).click();
  return page;
}

async function enter(page: Page, token: string): Promise<void> {
  await page.goto('about:blank');
  await page.goto(`${site.gateway.url}/console#token=${token}`);
  await page.getByRole('heading', { name: 'Projects' }).waitFor();
}
