import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createAccountToken } from '../../src/data/create-account-token.ts';
import { AUDIT_ACTIONS } from '../../src/model/audit-event.ts';
import { PASSWORD, projectToken, tokenStatus } from '../support/actors.ts';
import { graphqlApi } from '../support/apis.ts';
import { startSite } from '../support/browser.ts';
import { seedTenant, startGateway, type Tenant } from '../support/gateway.ts';

const site = startSite();

const api = graphqlApi(() => site.gateway.url);

const WAIT = { timeout: 30_000, interval: 50 };

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
  expect(await row.innerText()).toMatch(/Read-only.*Account.*Tenant.*Never/s);

  await row.getByRole('button').click();
  const dialog = page.getByRole('dialog');
  expect(await dialog.innerText()).toContain('“<img src=x onerror=alert(1)>” ends at once and for ever');
  await dialog.getByRole('button', { name: 'Revoke the token' }).click();
  await page
    .getByText(`${MANY + 1} valid tokens. The token “<img src=x onerror=alert(1)>” has ended.`)
    .waitFor();
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

test('a read-only token is shown no button to revoke, and a token of one project no link to the tokens', async () => {
  const tenant = await seedTenant(site.gateway);
  const page = await openScreen('tokens', await issue(tenant, { readOnly: true }));
  await page.getByText('2 valid tokens').waitFor();
  expect(await page.getByRole('button', { name: 'Revoke' }).count()).toBe(0);

  const links = page.getByRole('navigation', { name: 'Console' });
  expect(await links.innerText()).toContain('Tokens');
  const onlyProject = tenant.projects[0];
  for (const token of [await issue(tenant, { onlyProject }), await projectToken(site.gateway, tenant)]) {
    await enter(page, token);
    expect(await links.innerText()).not.toContain('Tokens');
    await page.evaluate('void (location.hash = "#/tokens")');
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  }
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
  expect(await rows.first().innerText()).toMatch(/app\.create.*apps\/.*tokens\/.*127\.0\.0\.1/s);
  await page.getByRole('button', { name: 'Show more' }).scrollIntoViewIfNeeded();
  expect(await rows.filter({ hasText: 'account.create' }).innerText()).toContain('The operator');

  const filter = page.getByLabel('Action');
  expect(await filter.locator('option').allInnerTexts()).toEqual(['All', ...AUDIT_ACTIONS]);
  await filter.selectOption('app.create');
  await page.getByText('1 event', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Copy the request id' }).click();
  expect(await pasted(page)).toBe(response.headers.get('x-request-id'));
});

test('the drawer has the last requests without secrets, and the curl command of one does the same', async () => {
  const tenant = await seedTenant(site.gateway, { wallets: 1 });
  const title = `It's "new" \\ $HOME`;
  const page = await openScreen(tenant.projects[0] ?? '', tenant.token);
  await page.getByRole('button', { name: /^Edit / }).click();
  await page.getByLabel('Title').fill(title);
  await page.getByLabel('New password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: title }).waitFor();
  const opener = page.getByRole('button', { name: 'Requests' });
  await opener.press('Enter');
  const drawer = page.getByRole('complementary', { name: 'Requests' });
  const request = drawer.locator('details', { hasText: 'UpdateWallet' });
  const html = await drawer.innerHTML();
  expect([tenant.token, PASSWORD].filter((secret) => html.includes(secret))).toEqual([]);

  await request.locator('summary').press('Enter');
  await request.getByRole('button', { name: 'Copy the GraphQL' }).press('Enter');
  expect(await pasted(page)).toMatch(/^mutation UpdateWallet/);
  await request.getByText('Enter the token there').waitFor();
  const link = await request.getByRole('link', { name: 'Open in GraphiQL' }).getAttribute('href');
  const { hash } = new URL(link ?? '', site.gateway.url);
  const { query, variables = '' } = Object.fromEntries(new URLSearchParams(hash.slice(1)));
  expect(query).toMatch(/^mutation UpdateWallet/);
  expect(JSON.parse(variables).input).toMatchObject({ title, password: '$PASSWORD' });
  await request.getByRole('button', { name: 'Copy the curl' }).press('Enter');
  const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', await pasted(page)], {
    env: { PATH: process.env['PATH'], TOKEN: tenant.token, PASSWORD },
  });
  expect(JSON.parse(stdout)).toMatchObject({ data: { updateWallet: { wallet: { title } } } });

  await request.locator('summary').press('Escape');
  expect(await drawer.count()).toBe(0);
  await opener.and(page.locator(':focus')).waitFor();
});

test('GraphiQL, opened with a request of the console, has the token that is kept for the tab', async () => {
  const { token } = await seedTenant(site.gateway);
  const page = await site.open('/console');
  await page.getByLabel('Token').fill(token);
  await page.getByLabel('Keep for this tab').check();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: 'Requests' }).click();
  await page.locator('summary', { hasText: 'Projects' }).first().click();
  const opening = page.waitForEvent('popup');
  await page.getByRole('link', { name: 'Open in GraphiQL' }).first().click();
  const graphiql = await opening;
  await vi.waitFor(
    async () => expect(await graphiql.getByLabel('Bearer token').inputValue()).toBe(token),
    WAIT,
  );
});

test('the drawer has no requests of an earlier token, and no link to GraphiQL if there is none', async () => {
  const gateway = await startGateway({ PAW_EXPLORERS: 'off' });
  onTestFinished(gateway.stop);
  const page = await site.newPage({ origins: [gateway.url] });
  const { token } = await seedTenant(gateway);
  await page.goto(`${gateway.url}/console#token=${token}`);
  await page.getByRole('link', { name: 'Tokens' }).click();
  await page.getByText('1 valid token').waitFor();
  await page.getByRole('button', { name: 'Forget' }).click();
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('link', { name: 'Tenant' }).waitFor();
  await page.getByRole('button', { name: 'Requests' }).click();
  const requests = page.locator('details');
  await requests.locator('summary').click();
  expect(await requests.allInnerTexts()).toEqual([expect.stringContaining('query Projects')]);
  expect(await page.getByRole('link', { name: 'Open in GraphiQL' }).count()).toBe(0);
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
