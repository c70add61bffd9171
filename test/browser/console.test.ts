// @module-tag needs/chromium
// @module-tag night/browser

import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { SECRET_REFUSED } from '../../console/app/secret-text.ts';
import { TEXTS } from '../../console/app/texts.ts';
import { updateProject } from '../../src/data/projects/update-project.ts';
import { updateWallet } from '../../src/data/update-wallet.ts';
import { registerWallet } from '../../src/operator/register-wallet.ts';
import { expectAccessible } from '../support/accessibility.ts';
import { graphqlApi } from '../support/both-apis.ts';
import { goTo, pasted, showScreen, startSite } from '../support/browser.ts';
import { seedTenant } from '../support/gateway.ts';
import {
  accountToken,
  createApp,
  MISSING_PROJECT,
  projectToken,
  signIn,
  ULID,
  ulidOf,
} from '../support/requests.ts';

// On a busy machine, a minute may have passed.
const AGO = expect.stringMatching(/^(now|\d minutes? ago)$/);
const HOSTILE = '<img src=x onerror=alert(1)>{{alert(1)}}"><script>alert(1)</script>';

const site = startSite();
const api = graphqlApi(() => site.gateway.url);

test('projects are loaded in small pages, and are found by the beginning of their title, also on the way back', async () => {
  const { token } = await seedTenant(site.gateway, { projects: 60 });
  const page = await site.openConsole(token);
  const rows = page.locator('tbody tr');
  await page.getByText('60 projects').waitFor();
  const count = page.locator('.heading [role=status]');
  expect(await count.innerText()).toBe('60 projects');
  expect(await rows.count()).toBe(24);
  await page.getByRole('heading', { name: 'Projects' }).and(page.locator(':focus')).waitFor();
  const last = page.getByRole('link', { name: 'Project 60' });
  await page.getByRole('button', { name: 'Show more' }).scrollIntoViewIfNeeded();
  await page.getByRole('link', { name: 'Project 48' }).waitFor();
  await page.getByRole('button', { name: 'Show more' }).press('Enter');
  await last.click();
  await page.getByRole('heading', { name: 'Project 60', level: 1 }).waitFor();
  expect(await page.evaluate('scrollY')).toBe(0);
  await page.goBack();
  await last.and(page.locator(':focus')).waitFor();

  const filter = page.getByLabel('Find by title');
  await filter.fill('PROJECT 5');
  await page.getByText('11 projects').waitFor();
  expect(await count.innerText()).toBe('11 projects');
  expect(new URL(page.url()).hash).toBe('#/?title=PROJECT+5');
  await page.getByRole('link', { name: 'Project 59' }).click();
  await page.getByRole('heading', { name: 'Project 59', level: 1 }).waitFor();
  await page.goBack();
  await page.getByText('11 projects').waitFor();
  expect(await filter.inputValue()).toBe('PROJECT 5');
  await filter.fill('no. 5');
  await page.getByText('No project titles start with “no. 5”.').waitFor();
});

test('the search finds projects, wallets and apps in groups, by a title, an address or an ID, and opens what is chosen', async () => {
  const tenant = await seedTenant(site.gateway, { projects: 3, wallets: 12 });
  const { wallet } = tenant;
  const app = await createApp(api, tenant.token, { title: 'Pro shop' });
  const { operator } = site.gateway;
  await updateWallet(operator, { name: tenant.wallets[2], reference: 'till:3' });
  await updateProject(operator, { name: tenant.projects[2], reference: 'Project' });
  const address = `0x${'2'.padStart(40, '0')}`;
  const page = await site.openConsole(tenant.token);
  const field = page.getByRole('combobox', { name: 'Search projects, wallets and apps' });
  const list = page.getByRole('listbox', { name: 'Found' });
  const isShown = (title: string) => page.getByRole('heading', { name: title, level: 1 }).waitFor();
  await page.keyboard.press('Control+/');
  expect(await field.and(page.locator(':focus')).count()).toBe(0);
  await page.keyboard.press('/');
  await page.keyboard.type('PRO');
  await list
    .getByRole('group', { name: 'Apps · 1' })
    .getByRole('option', { name: 'Pro shop in Tenant' })
    .waitFor();
  const projects = list.getByRole('group', { name: 'Projects · 2' });
  expect(await projects.getByRole('option').allInnerTexts()).toEqual(['Project 2', 'Project 3']);
  expect(await list.getByRole('group').count()).toBe(2);
  await expectAccessible(page);
  for (const key of ['ArrowUp', 'ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
  await list.locator('[aria-selected=true]').getByText('Project 3').waitFor();
  const opening = page.context().waitForEvent('page');
  await page.keyboard.press('Control+Enter');
  await (await opening).getByRole('heading', { name: 'Project 3', level: 1 }).waitFor();
  await field.fill('PRO');
  await list.getByRole('option', { name: 'Pro shop' }).click();
  await isShown('Pro shop');

  // Enter opens what is found first, also if it is pressed before.
  for (const [text, title] of [
    [`tokens/${app.name.slice(-26)}`, 'Tokens'],
    [wallet, 'Wallet 1'],
    [app.name.toLowerCase(), 'Pro shop'],
    [ulidOf(app.name).toLowerCase(), 'Pro shop'],
    [ulidOf(wallet), 'Wallet 1'],
    [ulidOf(tenant.project), 'Tenant'],
    [tenant.projects[1] ?? '', 'Project 2'],
    [` ${address.toUpperCase().replace('X', 'x')} `, 'Wallet 2'],
    ['till:3', 'Wallet 3'],
    ['Project', 'Project 3'],
    ['tena', 'Tenant'],
  ] as const) {
    await field.fill(text);
    await page.keyboard.press('Enter');
    await isShown(title);
  }

  await field.fill('wallet');
  await list.getByRole('option', { name: /^Wallet 1 in Tenant/ }).waitFor();
  await list.getByRole('group', { name: 'Wallets · 5 of 12' }).waitFor();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await isShown('Wallets by title');
  await list.waitFor({ state: 'hidden' });
  await page.getByText('12 wallets', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'More of Wallet 12' }).click();
  await page.locator('.rest').waitFor();
  const ids = await page.evaluate<string[]>('[...document.querySelectorAll("[id]")].map(({ id }) => id)');
  expect(ids).toEqual([...new Set(ids)]);
  for (const [text, problem] of [
    ['lantern', 'No titles start with “lantern”.'],
    [address.replace('2', 'f'), 'No wallet has the address'],
    [wallet.replace('wallets', 'apps'), 'Nothing has the ID'],
    [ULID, `Nothing has the ID “${ULID}”.`],
  ] as const) {
    await field.fill(text);
    await page.getByRole('status').getByText(problem).waitFor();
    await page.getByText(TEXTS.searchHint).waitFor();
  }
  let requests = 0;
  page.on('request', () => {
    requests += 1;
  });
  await page.clock.install();
  await field.fill(' ');
  await page.clock.runFor(1000);
  expect(requests).toBe(0);
  expect(await field.getAttribute('aria-expanded')).toBe('false');
});

test('a token or a key that is entered into a search is not sent, and does not get into the address', async () => {
  const { token } = await seedTenant(site.gateway);
  const page = await site.openConsole(token);
  const bodies: (string | null)[] = [];
  page.on('request', (request) => bodies.push(request.url(), request.postData()));
  const field = page.getByRole('combobox', { name: 'Search projects, wallets and apps' });
  for (const text of [
    token,
    ` "Bearer ${token}"`,
    token.replace('acct', 'key'),
    `Authorization: Bearer ${token}`,
    `PAW_TOKEN=${token}`,
    `${site.gateway.url}/console#token=${token}`,
  ]) {
    await field.fill(text);
    await page.getByRole('status').getByText(SECRET_REFUSED).waitFor();
    expect(await field.inputValue()).toBe('');
    await page.keyboard.press('Enter');
    await field.fill('ten');
    await page.getByRole('option', { name: 'Tenant' }).waitFor();
  }
  await page.clock.install();
  const filter = page.getByLabel('Find by title');
  await filter.fill(token);
  await page.clock.runFor(1000);
  expect(await page.evaluate('document.querySelector(".filter").validationMessage')).toBe(SECRET_REFUSED);
  expect(await filter.inputValue()).toBe('');
  const browser = await page.context().newCDPSession(page);
  const { entries } = await browser.send('Page.getNavigationHistory');
  expect(JSON.stringify([bodies, entries.map(({ url }) => url)])).not.toContain(token.slice(9));
  expect(bodies.join()).toContain('ten');
});

test('a project token lands on its project, and looks for wallets in it', async () => {
  const tenant = await seedTenant(site.gateway, { projects: 2, wallets: 12 });
  const page = await site.openConsole(await projectToken(site.gateway, tenant));
  await page.getByRole('heading', { name: 'Tenant' }).waitFor();
  await page.getByText('12 wallets').waitFor();
  const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
  expect(await links.allInnerTexts()).toEqual(['Project', 'GraphiQL', 'REST', 'Docs']);
  expect(await page.getByRole('navigation', { name: 'Breadcrumbs' }).count()).toBe(0);
  await page.keyboard.press('/');
  await page.keyboard.type('wallet 1');
  await page.getByRole('group', { name: 'Wallets · 4' }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.type('wallet');
  await page.getByRole('option', { name: 'All 12 wallets' }).click();
  await page.getByText('12 wallets', { exact: true }).waitFor();
  expect(await page.getByLabel('Find by title').inputValue()).toBe('wallet');
});

test('a project shows its wallets and its apps, whose titles are text whatever they contain', async () => {
  const { operator } = site.gateway;
  const tenant = await seedTenant(site.gateway, { wallets: 30 });
  const { project } = tenant;
  await updateProject(operator, { name: project, title: HOSTILE, description: HOSTILE });
  await registerWallet(operator, {
    project,
    title: HOSTILE,
    description: HOSTILE,
    network: 'NETWORK_POLYGON_AMOY',
    address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  });
  const app = await createApp(api, tenant.token, { title: HOSTILE });
  await createApp(api, tenant.token, { title: 'Till' });
  await signIn(api, tenant.token, app);
  const page = await site.openConsole(await accountToken(site.gateway, tenant, { title: HOSTILE }));
  await page.getByRole('button', { name: HOSTILE, exact: true }).waitFor();
  await page.getByRole('link', { name: HOSTILE }).click();
  await page.getByText('31 wallets').waitFor();
  const tabs = page.getByRole('navigation', { name: 'Parts of the project' }).getByRole('link');
  expect(await tabs.allInnerTexts()).toEqual(['Wallets 31', 'Apps 2', 'Settings']);
  expect(await page.title()).toBe(`${HOSTILE} · PAW gateway`);
  await page.getByRole('button', { name: 'Show more' }).scrollIntoViewIfNeeded();
  const wallet = page.getByRole('row').filter({ hasText: 'Polygon Amoy' });
  await wallet.getByRole('link', { name: HOSTILE }).waitFor();
  expect(await cellsOf(wallet)).toEqual([
    '',
    HOSTILE,
    'Polygon Amoy Testnet',
    '0x5aAe…eAed',
    AGO,
    AGO,
    'Edit',
  ]);
  expect(await wallet.getByRole('rowheader').innerText()).toBe(HOSTILE);
  expect(await wallet.getByRole('time').first().getAttribute('title')).toMatch(
    /^\d+ \w+ \d{4}, \d\d:\d\d:\d\d$/,
  );
  expect(await page.getByText('Testnet').locator('visible=true').count()).toBe(1);
  await page.getByRole('link', { name: 'Apps' }).click();
  const row = page.getByRole('row').filter({ hasText: HOSTILE });
  await row.waitFor();
  expect(await cellsOf(row)).toEqual(['', HOSTILE, 'Active', AGO, '1', AGO]);
  const filter = page.getByLabel('Find by title');
  await filter.fill('no. 5');
  await page.getByText('No app titles start with “no. 5”.').waitFor();
  await filter.fill('<IMG');
  await page.getByText('1 app', { exact: true }).waitFor();
  expect(new URL(page.url()).hash).toBe(`#/${project}/apps?title=%3CIMG`);
  await row.getByRole('link').click();
  await page.getByRole('heading', { name: HOSTILE, level: 1 }).waitFor();
});

test('each save is announced, also one with the same text, and lines of a short description are shown', async () => {
  const tenant = await seedTenant(site.gateway, { wallets: 1 });
  const page = await site.openConsole(tenant.token);
  await showScreen(page, tenant.wallet);
  await page.getByRole('heading', { name: 'Wallet 1', level: 1 }).waitFor();
  await page.evaluate(`{
    const status = document.querySelector('.done');
    globalThis.said = [''];
    const note = () => status.textContent !== said.at(-1) && said.push(status.textContent);
    new MutationObserver(note).observe(status, { childList: true, characterData: true, subtree: true });
  }`);
  const saved = 'Saved “Wallet 1”.';
  for (const [description, said] of [
    ['A line', ['', saved]],
    ['A line\nAnother one', ['', saved, '', saved]],
  ] as const) {
    await page.getByRole('button', { name: 'Edit wallet' }).click();
    await page.getByLabel('Description').fill(description);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate('said')).toEqual(said);
  }
  await page.getByRole('button', { name: 'More', exact: true }).press('Enter');
  expect(await page.locator('.folded p').innerText()).toBe('A line\nAnother one');
});

test('an empty project says that it has nothing, and an unknown address has a page that says so', async () => {
  const { token } = await seedTenant(site.gateway);
  const page = await site.openConsole(token);
  await page.getByRole('link', { name: 'Tenant' }).click();
  await page.getByText('The project has no wallets.').waitFor();
  await page.getByRole('link', { name: 'Apps' }).click();
  await page.getByText('The project has no apps.').waitFor();
  for (const [path, heading] of [
    [MISSING_PROJECT, 'Project not found'],
    ['projects/1', 'Project not found'],
    [MISSING_PROJECT.replace('projects', 'wallets'), 'Wallet not found'],
    ['apps/1', 'App not found'],
    ['nothing', 'Page not found'],
  ] as const) {
    await showScreen(page, path);
    await page.getByRole('heading', { name: heading }).waitFor();
    await page.getByRole('link', { name: TEXTS.backToProjects }).click();
    await page.getByRole('link', { name: 'Tenant' }).waitFor();
  }
});

test('an address is copied in a page without a clipboard, as by plain HTTP from another host', async () => {
  const { token } = await seedTenant(site.gateway, { projects: 2, wallets: 1 });
  const page = await site.newPage();
  await page.addInitScript(`Object.defineProperty(Navigator.prototype, 'clipboard', { value: undefined })`);
  await goTo(page, `${site.gateway.url}/console#token=${token}`);
  await page.getByRole('link', { name: 'Tenant' }).click();
  await page.getByRole('button', { name: 'Copy address' }).click();
  await page.getByText('Copied address').waitFor();
  expect(await pasted(page)).toBe(`0x${'1'.padStart(40, '0')}`);
});

function cellsOf(row: Locator): Promise<string[]> {
  return row.locator('td, th').allInnerTexts();
}
