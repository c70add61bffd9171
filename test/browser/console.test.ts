import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { createAccountToken } from '../../src/data/create-account-token.ts';
import { createProject } from '../../src/data/create-project.ts';
import { createWallet } from '../../src/data/create-wallet.ts';
import { setAccountSuspended } from '../../src/data/set-account-suspended.ts';
import {
  createAppIn,
  graphqlBody,
  MISSING_PROJECT,
  projectToken,
  signIn,
  tokenStatus,
} from '../support/actors.ts';
import { graphqlApi } from '../support/apis.ts';
import { goTo, startSite, storedBy } from '../support/browser.ts';
import { seedTenant } from '../support/gateway.ts';

const HOSTILE = '<img src=x onerror=alert(1)>{{alert(1)}}"><script>alert(1)</script>';

// The browser reports each response with an error.
const REFUSED = { provoked: /status of 401/ };

const site = startSite();
const api = graphqlApi(() => site.gateway.url);

describe('the token', () => {
  test('of the address is removed from it and from the history at once, and a reload forgets it', async () => {
    const { token } = await seedTenant(site.gateway);
    const page = await openWith(token);
    const browser = await page.context().newCDPSession(page);
    const { entries } = await browser.send('Page.getNavigationHistory');
    expect(entries.map(({ url }) => url)).toEqual(['about:blank', `${site.gateway.url}/console#/`]);
    expect(await storedBy(page)).toEqual([]);
    expect(await page.content()).not.toContain(token);
    expect(site.gateway.log()).not.toContain(token);
    await page.reload();
    await page.getByRole('heading', { name: 'Enter a token' }).waitFor();
  });

  test('is kept for the tab if the person wants, until it is forgotten', async () => {
    const { token } = await seedTenant(site.gateway);
    const page = await site.open('/console');
    await page.getByLabel('Token', { exact: true }).fill(` ${token} `);
    await page.getByLabel('Keep for this tab').check();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('link', { name: 'Tenant' }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'Tenant' }).waitFor();
    expect(await storedBy(page)).toEqual([['paw.token', token]]);
    await page.getByRole('button', { name: 'Forget' }).click();
    await page.getByRole('heading', { name: 'Enter a token' }).waitFor();
    expect(await storedBy(page)).toEqual([]);
    await page.reload();
    await page.getByRole('heading', { name: 'Enter a token' }).waitFor();
  });

  test.each([
    { token: '', violation: 'A token has the form paw_acct_… or paw_app_….' },
    { token: 'päw', violation: 'A token has the form paw_acct_… or paw_app_….' },
    { token: 'paw_key_x', violation: 'This is the private key of an app.' },
    { token: 'paw_acct_x', violation: /token/ },
  ])('$token that is not valid is refused at its field', async ({ token, violation }) => {
    const page = await site.open('/console', REFUSED);
    const field = page.getByLabel('Token', { exact: true });
    await field.fill(token);
    await field.press('Enter');
    await page.locator('.violation').getByText(violation).waitFor();
    expect(await page.evaluate('document.activeElement.name')).toBe('token');
    expect(await field.getAttribute('aria-invalid')).toBe('true');
  });

  test.each([
    { kind: 'an account token', readOnly: false },
    { kind: 'a token that only reads', readOnly: true },
  ])('$kind is ended on every instance when the person ends it', async ({ readOnly }) => {
    const { account } = await seedTenant(site.gateway);
    const { accessToken } = await createAccountToken(site.gateway.admin, { account, readOnly }, 3600);
    const page = await openWith(accessToken);
    await page.getByRole('button', { name: 'End the token' }).click();
    const dialog = page.getByRole('dialog', { name: 'End the token?' });
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => focusedText(page)).toBe('End the token');
    await page.getByRole('button', { name: 'End the token' }).click();
    await dialog.getByRole('button', { name: 'End the token' }).click();
    await page.getByText('The token has ended.').waitFor();
    expect(await tokenStatus(api, accessToken)).toBe('TOKEN_INVALID');
  });

  test('can be entered as it is copied from a header, and leads to the projects after another one is forgotten', async () => {
    const [first, second] = [await seedTenant(site.gateway), await seedTenant(site.gateway)];
    const page = await openWith(first.token);
    await page.getByRole('link', { name: 'Tenant' }).click();
    await page.getByRole('heading', { name: 'Wallets' }).waitFor();
    await page.getByRole('button', { name: 'Forget' }).click();
    await page.getByLabel('Token', { exact: true }).fill(`Bearer "${second.token}"`);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Tenant' }).waitFor();
    await page.getByText(second.account).waitFor();
  });

  test('that has ended is asked for again above the screen, which another token of the account continues', async () => {
    const { account, token } = await seedTenant(site.gateway, { projects: 2 });
    const page = await openWith(token, REFUSED);
    await page.getByLabel('Find projects').fill('ten');
    await signOut(token);
    await page.getByRole('link', { name: 'Tenant' }).click();
    const dialog = page.getByRole('dialog', { name: 'Enter a token to continue' });
    expect(await dialog.getByRole('alert').innerText()).toContain('no longer valid');
    await dialog.getByText(`With another token of ${account}, what is on this page stays.`).waitFor();
    const { accessToken } = await createAccountToken(site.gateway.admin, { account }, 3600);
    await dialog.getByLabel('Token', { exact: true }).fill(accessToken);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Wallets' }).waitFor();
    expect(await dialog.count()).toBe(0);
    await page.goBack();
    expect(await page.getByLabel('Find projects').inputValue()).toBe('ten');
  });

  test('that was refused and is valid again continues as well', async () => {
    const { account, token } = await seedTenant(site.gateway);
    const page = await openWith(token, REFUSED);
    await setAccountSuspended(site.gateway.admin, { name: account }, true);
    await page.getByRole('link', { name: 'Tenant' }).click();
    await page.getByRole('dialog').getByLabel('Token', { exact: true }).fill(token);
    await setAccountSuspended(site.gateway.admin, { name: account }, false);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Wallets' }).waitFor();
  });

  test('of another account leaves nothing of the account before it', async () => {
    const [first, second] = [
      await seedTenant(site.gateway, { projects: 2 }),
      await seedTenant(site.gateway, { projects: 3 }),
    ];
    const page = await openWith(first.token, REFUSED);
    await page.getByLabel('Find projects').fill('ten');
    await signOut(first.token);
    await page.getByRole('link', { name: 'Tenant' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Token', { exact: true }).fill(second.token);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Project 3' }).waitFor();
    expect(new URL(page.url()).hash).toBe('#/');
    expect(await page.getByLabel('Find projects').inputValue()).toBe('');
    expect(await page.content()).not.toContain(first.account);
  });

  test('is described in the bar: its level, its title, its account, its limits, and an expiry that is near', async () => {
    const { account, projects } = await seedTenant(site.gateway);
    const [onlyProject] = projects;
    const input = { account, onlyProject, readOnly: true, title: 'Audit' };
    const { accessToken } = await createAccountToken(site.gateway.admin, input, 2 * 86_400 + 60);
    const page = await openWith(accessToken);
    const bar = page.locator('.session p');
    const texts = ['Account token', 'Audit', 'Only Tenant', 'Read-only', 'Expires in 2 days', account];
    expect(await bar.locator('> *').allInnerTexts()).toEqual(texts);
  });

  test('of an app shows its project', async () => {
    const tenant = await seedTenant(site.gateway);
    const page = await openWith(await projectToken(site.gateway, tenant));
    await page.getByText('Project token', { exact: true }).waitFor();
  });
});

describe('the projects', () => {
  test('are loaded in small pages as the reader scrolls, and are there on the way back', async () => {
    const { token } = await seedTenant(site.gateway, { projects: 60 });
    const page = await openWith(token);
    const cards = page.locator('.cards li');
    expect(await cards.count()).toBe(24);
    await page.getByText('60 projects').waitFor();
    await page.getByRole('button', { name: 'Show more' }).scrollIntoViewIfNeeded();
    await page.getByRole('link', { name: 'Project 48' }).waitFor();
    await page.getByRole('button', { name: 'Show more' }).press('Enter');
    const last = page.getByRole('link', { name: 'Project 60' });
    await last.waitFor();
    expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
    await last.click();
    await page.getByRole('heading', { name: 'Project 60', level: 1 }).waitFor();
    expect(await page.evaluate('scrollY')).toBe(0);
    await page.goBack();
    await expect.poll(() => focusedText(page)).toBe('Project 60');
    await expect.poll(() => page.evaluate<number>('scrollY')).toBeGreaterThan(500);
    expect(await cards.count()).toBe(60);
  });

  test('are found by the key / and a text, also those that are not loaded', async () => {
    const { token } = await seedTenant(site.gateway, { projects: 60 });
    const page = await openWith(token);
    await expect.poll(() => focusedText(page)).toBe('Projects');
    await page.keyboard.press('Control+/');
    expect(await focusedText(page)).toBe('Projects');
    await page.keyboard.press('/');
    await page.keyboard.type('no. PROJECT 5');
    await page.getByText('15 of 60 projects', { exact: true }).waitFor();
    expect(await page.locator('.cards h2').allInnerTexts()).toContain('Project 59');
    await page.keyboard.type('/');
    await page.getByText('0 of 60 projects', { exact: true }).waitFor();
    await page.getByText('No project contains “no. PROJECT 5/”.').waitFor();
  });
});

test('a project shows its wallets and its apps', async () => {
  const { admin } = site.gateway;
  const tenant = await seedTenant(site.gateway, { wallets: 30 });
  const [project = ''] = tenant.projects;
  await createWallet(admin, {
    project,
    title: 'Trial',
    network: 'NETWORK_POLYGON_MUMBAI',
    address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  });
  const app = await createAppIn(site.gateway, api, tenant, project);
  await signIn(api, tenant.token, app);
  const page = await openWith(tenant.token);
  await page.getByRole('link', { name: 'Tenant' }).click();
  await page.getByRole('heading', { name: 'Wallets 31' }).waitFor();
  await page.getByRole('button', { name: 'Show more' }).scrollIntoViewIfNeeded();
  const wallet = page.getByRole('listitem').filter({ hasText: 'Trial' });
  await wallet.getByText('Polygon Mumbai Testnet').waitFor();
  await wallet.getByText('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed').waitFor();
  expect(await page.getByText('Testnet').count()).toBe(1);
  const row = page.getByRole('listitem').filter({ hasText: 'Last sign-in' });
  await row.getByText('Active', { exact: true }).waitFor();
  expect(await row.locator('dd').allInnerTexts()).toEqual([
    expect.stringMatching(/^\d+ \w+ \d{4}, \d\d:\d\d$/),
    '1',
    expect.stringMatching(/^\d+ \w+ \d{4}, \d\d:\d\d$/),
    `${app.name} Copy`,
  ]);
});

test('an empty project shows the command that registers a wallet', async () => {
  const { token, projects } = await seedTenant(site.gateway);
  const page = await openWith(token);
  await page.getByRole('link', { name: 'Tenant' }).click();
  await page.getByText(`paw wallet create --project ${projects[0]} --title`).waitFor();
  await page.getByText('The project has no apps.').waitFor();
});

test.each([
  { path: MISSING_PROJECT, heading: 'Project not found' },
  { path: 'projects/1', heading: 'Project not found' },
  { path: 'nothing', heading: 'Page not found' },
])('#/$path leads to a page that says so', async ({ path, heading }) => {
  const { token } = await seedTenant(site.gateway);
  const page = await openWith(token);
  await page.evaluate(`location.hash = '#/${path}'`);
  await page.getByRole('heading', { name: heading }).waitFor();
  await page.getByRole('link', { name: 'Show the projects' }).click();
  await page.getByRole('link', { name: 'Tenant' }).waitFor();
});

test.each([
  { context: 'with a clipboard', script: '' },
  {
    context: 'without one, as by plain HTTP from another host',
    script: `Object.defineProperty(Navigator.prototype, 'clipboard', { value: undefined })`,
  },
])('an address is copied in a page $context', async ({ script }) => {
  const { token } = await seedTenant(site.gateway, { projects: 2, wallets: 1 });
  const page = await site.newPage();
  await page.addInitScript(script);
  await goTo(page, `${site.gateway.url}/console#token=${token}`);
  await page.getByRole('link', { name: 'Tenant' }).click();
  await page.getByRole('button', { name: 'Copy the address of Wallet 1' }).click();
  await page.getByText('Copied the address of Wallet 1').waitFor();
  await page.getByRole('link', { name: 'Projects', exact: true }).click();
  await page.getByLabel('Find projects').press('Control+V');
  expect(await page.getByLabel('Find projects').inputValue()).toBe(`0x${'1'.padStart(40, '0')}`);
});

test('titles and descriptions are text, whatever they contain', async () => {
  const { admin } = site.gateway;
  const { account } = await seedTenant(site.gateway);
  const { name: project } = await createProject(admin, { account, title: HOSTILE, description: HOSTILE });
  await createWallet(admin, {
    project,
    title: HOSTILE,
    description: HOSTILE,
    network: 'NETWORK_POLYGON',
    address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  });
  const { accessToken } = await createAccountToken(admin, { account, title: HOSTILE }, 3600);
  const page = await openWith(accessToken);
  await page.locator('.session').getByText(HOSTILE).waitFor();
  await page.getByRole('link', { name: HOSTILE }).click();
  await page.getByRole('heading', { name: HOSTILE, level: 3 }).waitFor();
  expect(await page.getByText(HOSTILE).filter({ visible: true }).count()).toBe(5);
  expect(await page.title()).toBe(`${HOSTILE} · PAW gateway`);
});

test('the first requests are sent again at the time that a busy proxy says', async () => {
  const { token } = await seedTenant(site.gateway);
  const page = await site.newPage({ provoked: /status of 503/ });
  await page.clock.install();
  const names: string[] = [];
  await page.route('**/graphql', async (route) => {
    const [, name = ''] = /query (\w+)/.exec(route.request().postData() ?? '') ?? [];
    names.push(name);
    if (names.length > 3 || names.length === 2) return route.continue();
    // The clock of the page is a minute further when the projects are requested.
    const minutes = name === 'Viewer' ? 1 : 2;
    const retryAfter = new Date(Date.now() + minutes * 60_000).toUTCString();
    await route.fulfill({ status: 503, body: '<h1>Busy</h1>', headers: { 'retry-after': retryAfter } });
  });
  await goTo(page, `${site.gateway.url}/console#token=${token}`);
  for (const _ of ['Viewer', 'Projects']) {
    await page.getByText(/^The console tries again at \d\d:\d\d:\d\d, in \d+ s\.$/).waitFor();
    await page.clock.fastForward(61_000);
  }
  await page.getByRole('link', { name: 'Tenant' }).waitFor();
  expect(names).toEqual(['Viewer', 'Viewer', 'Projects', 'Projects']);
});

test('a request that takes long shows that it is loading', async () => {
  const { token } = await seedTenant(site.gateway);
  const page = await site.newPage();
  const released = Promise.withResolvers<void>();
  await page.route('**/graphql', async (route) => {
    if (route.request().postData()?.includes('query Projects')) await released.promise;
    await route.continue();
  });
  await goTo(page, `${site.gateway.url}/console#token=${token}`);
  await page.getByText('Loading…').waitFor();
  released.resolve();
  await page.getByRole('link', { name: 'Tenant' }).waitFor();
  expect(await page.getByText('Loading…').count()).toBe(0);
});

/** Opens the console with a token, and waits for the first project. */
async function openWith(token: string, options: { provoked?: RegExp } = {}): Promise<Page> {
  const page = await site.open(`/console#token=${token}`, options);
  await page.locator('.cards a').first().waitFor();
  return page;
}

function signOut(token: string): Promise<unknown> {
  return graphqlBody(site.gateway.url, token, 'mutation { signOut { clientMutationId } }');
}

function focusedText(page: Page): Promise<string> {
  return page.evaluate<string>('document.activeElement.textContent');
}
