// @module-tag needs/chromium

import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { ACTIONS, TEXTS } from '../../console/app/texts.ts';
import { ERRORS } from '../../src/model/errors.ts';
import { expectAccessible, expectReachable } from '../support/accessibility.ts';
import { bothApis } from '../support/both-apis.ts';
import { startSite, storedBy } from '../support/browser.ts';
import { seedTenant } from '../support/gateway.ts';
import { activate, tabTo, type } from '../support/keyboard.ts';
import {
  type AppKey,
  accountToken,
  graphqlBody,
  PASSWORD,
  projectTokenOf,
  reasonOf,
  tokenStatus,
} from '../support/requests.ts';

const PROJECT = 'query ($name: ID!) { node(id: $name) { ... on Project { title description } } }';

const PHONE = { width: 375, height: 667 };
const SCREEN = { width: 1440, height: 900 };

const site = startSite();
const apis = bothApis(() => site.gateway.url);
const [api] = apis;

test('everything can be done by the keyboard alone, in part on a phone and in part on a screen', async () => {
  const { gateway } = site;
  const tenant = await seedTenant(gateway, { projects: 30, wallets: 2 });
  const { token, wallet, projects } = tenant;
  const dashboard = await accountToken(gateway, tenant, { title: 'Dashboard' });
  // The ids of two generators sort by time only if the time differs.
  gateway.clock.advance(1);
  const page = await site.newPage({ viewport: PHONE, provoked: /status of (401|412)/ });
  await page.goto(`${gateway.url}/console`);
  await enter(page, token);

  const created = await createProject(page);
  const { data } = await graphqlBody(gateway.url, token, PROJECT, { name: created });
  expect(data.node).toEqual({ title: 'Shop (closed)', description: 'In Lisbon' });

  await page.setViewportSize(SCREEN);
  await openWallet(page);
  await editWallet(page, () => api.updateWallet(token, wallet, { description: 'Rented' }));
  expect((await api.updateWallet(token, wallet, {})).value).toMatchObject({
    title: 'Rainy days',
    description: 'Rented',
    network: 'NETWORK_POLYGON_MUMBAI',
    project: created,
  });
  await expectHistory(page, 3);

  await goTo(page, projects[0] ?? '');
  await page.setViewportSize(PHONE);
  const key = await createApp(page);
  const projectToken = await projectTokenOf(api, token, key);
  const newKey = await rotateKey(page);
  for (const each of apis) {
    for (const app of [key, newKey]) expect(await reasonOf(each.signIn(token, app))).toBe('ok');
  }
  await confirm(page, 'Deactivate', 'Deactivate the app', '“Till” is inactive.');
  // The button keeps the focus when its text changes.
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Activate');
  expect(await tokenStatus(api, projectToken)).toBe('TOKEN_INVALID');
  await confirm(page, 'Activate', 'Activate the app', '“Till” is active.');
  expect(await reasonOf(api.signIn(token, newKey))).toBe('ok');
  await confirm(page, 'Delete', 'Delete the app', 'The project has no apps.');
  expect(await reasonOf(api.signIn(token, newKey))).toBe('INVALID_CREDENTIALS');

  await page.setViewportSize(SCREEN);
  await activate(page.getByRole('link', { name: 'Tokens' }));
  await confirm(page, 'Revoke “Dashboard”', TEXTS.revokeToken, 'Revoked the token “Dashboard”.');
  await expectReachable(page);
  expect(await button(page, 'Revoke “Dashboard”').count()).toBe(0);
  expect(await tokenStatus(api, dashboard)).toBe('TOKEN_INVALID');
  expect(gateway.log()).toContain(`"reqId":"${await copyRequestId(page)}"`);

  await activate(button(page, 'Account token'));
  await confirm(page, TEXTS.revokeToken, TEXTS.revokeToken, TEXTS.tokenRevoked);
  await expectAccessible(page);
  expect(await tokenStatus(api, token)).toBe('TOKEN_INVALID');
  expect(await storedBy(page)).toEqual([]);
  for (const secret of [token, key.privateKey, newKey.privateKey, PASSWORD]) {
    expect(gateway.log() + page.url() + (await page.content())).not.toContain(secret);
  }
});

async function enter(page: Page, token: string): Promise<void> {
  const field = page.getByLabel('Token', { exact: true });
  await type(field, `paw_acct_${'x'.repeat(125)}`);
  await page.keyboard.press('Enter');
  await page.getByText(ERRORS.TOKEN_INVALID[1]).waitFor();
  await expectAccessible(page);
  await type(field, token);
  await activate(button(page, 'Continue'));
}

/** Creates a project, edits it, and returns its name. */
async function createProject(page: Page): Promise<string> {
  await page.getByText('30 projects').waitFor();
  await expectAccessible(page);
  await activate(button(page, 'Create project'));
  const dialog = page.getByRole('dialog');
  await expectAccessible(page);
  await type(dialog.getByLabel('Title'), 'Shop');
  await type(dialog.getByLabel('Description'), 'In Lisbon');
  await activate(button(dialog, 'Create the project'));
  await page.getByRole('heading', { name: 'Shop', level: 1 }).waitFor();
  await activate(button(page, 'Edit project'));
  await type(dialog.getByLabel('Title'), 'Shop (closed)');
  await activate(button(dialog, 'Save'));
  await page.getByRole('heading', { name: 'Shop (closed)', level: 1 }).waitFor();
  await activate(page.getByRole('link', { name: 'Settings' }));
  await expectHistory(page, 2);
  await expectAccessible(page);
  const [name = ''] = /projects\/\w{26}/.exec(page.url()) ?? [];
  return name;
}

/** Goes to a resource by its name. */
async function goTo(page: Page, name: string): Promise<void> {
  await page.keyboard.press('/');
  await page.keyboard.type(name);
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.hash === `#/${name}`);
  await page.getByRole('heading', { level: 1 }).and(page.locator(':focus')).waitFor();
}

/** Finds the project by its title, and its first wallet by the filter of its list. */
async function openWallet(page: Page): Promise<void> {
  await page.keyboard.press('/');
  await page.keyboard.type('tenant');
  await page.keyboard.press('Enter');
  await page.getByText('2 wallets').waitFor();
  await expectAccessible(page);
  await type(page.getByLabel('Find by title'), 'wallet 1');
  await page.getByText('1 wallet', { exact: true }).waitFor();
  await activate(page.getByRole('link', { name: 'Wallet 1' }));
  await page.getByRole('heading', { name: 'History' }).waitFor();
  await expectHistory(page, 1);
  await expectAccessible(page);
}

/** Expects the number of the events of the resource, and that their details are opened by the keyboard. */
async function expectHistory(page: Page, size: number): Promise<void> {
  const rows = page.getByRole('table', { name: 'Events' }).locator('tbody tr');
  // An open row stays open when the history is read again.
  await expect.poll(() => rows.and(page.locator(':not(.rest)')).count()).toBe(size);
  await activate(rows.first().getByRole('button'));
  await rows.nth(1).getByText('Action', { exact: true }).waitFor();
}

/** Edits a wallet, first with values that are not valid, and beside another change. */
async function editWallet(page: Page, change: () => Promise<unknown>): Promise<void> {
  await activate(button(page, 'Edit wallet'));
  const dialog = page.getByRole('dialog', { name: 'Edit the wallet' });
  const [title, password] = [dialog.getByLabel('Title'), dialog.getByLabel('New password')];
  await type(title, '');
  await type(password, 'short');
  await page.keyboard.press('Enter');
  await dialog.locator('.violation').nth(1).waitFor();
  await title.and(page.locator(':focus[aria-invalid=true]')).waitFor();
  await expectAccessible(page);

  await type(title, 'Rainy days');
  await type(dialog.getByRole('combobox', { name: 'Project' }), 'shop');
  await dialog.getByRole('option', { name: 'Shop (closed)' }).waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await tabTo(dialog.getByLabel('Network'));
  await page.keyboard.type('Polygon M');
  await type(password, PASSWORD);
  await change();
  await activate(button(dialog, 'Save'));
  await dialog.getByText(`${TEXTS.changedByOthers} this wallet`).waitFor();
  await expectAccessible(page);
  await activate(button(dialog, 'Save'));
  await page.getByText('Saved “Rainy days”.').waitFor();
  await expectReachable(page);
}

async function createApp(page: Page): Promise<AppKey> {
  await activate(page.getByRole('link', { name: 'Apps' }));
  await page.getByText('The project has no apps.').waitFor();
  await activate(button(page, 'Create app'));
  await expectAccessible(page);
  await type(page.getByRole('dialog').getByLabel('Title'), 'Till');
  await page.keyboard.press('Enter');
  const key = await storeKey(page, expectAccessible);
  await expectAccessible(page);
  await activate(page.getByRole('table').getByRole('link', { name: 'Till' }));
  await page.getByRole('heading', { name: 'Till', level: 1 }).waitFor();
  await expectAccessible(page);
  return key;
}

async function rotateKey(page: Page): Promise<AppKey> {
  await activate(button(page, TEXTS.rotateKey));
  const dialog = page.getByRole('dialog', { name: `${TEXTS.rotateTheKey} of “Till”` });
  await activate(button(dialog, TEXTS.rotateTheKey));
  await dialog.getByText(TEXTS.chooseExpiry).waitFor();
  await expectAccessible(page);
  await tabTo(dialog.getByLabel(TEXTS.oldKeyExpires));
  await page.keyboard.type('In 1 h');
  await activate(button(dialog, TEXTS.rotateTheKey));
  return storeKey(page);
}

/** Stores the key that is shown, and returns it. Escape does not end its dialog. */
async function storeKey(page: Page, check = expectReachable): Promise<AppKey> {
  const dialog = page.getByRole('dialog', { name: 'The private key of “Till”' });
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await button(dialog, 'Copy key').and(page.locator(':focus')).waitFor();
  await check(page);
  const privateKey = await dialog.getByRole('textbox', { name: 'Private key' }).inputValue();
  const [name = ''] = /apps\/\w{26}/.exec(await dialog.innerText()) ?? [];
  await activate(button(dialog, TEXTS.secretSaved('key')));
  await dialog.waitFor({ state: 'detached' });
  await expectReachable(page);
  expect(await page.content()).not.toContain(privateKey);
  return { name, privateKey };
}

/** Opens a dialog, does what it asks about, and waits for the text that says so. */
async function confirm(page: Page, opener: string, action: string, result: string): Promise<void> {
  await activate(page.getByRole('button', { name: opener, exact: true }));
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  await expectAccessible(page);
  await activate(button(dialog, action));
  await page.getByText(result).waitFor();
}

/** Copies the request id of the last update of a wallet. Pastes it into a field, and returns it. */
async function copyRequestId(page: Page): Promise<string> {
  await activate(page.getByRole('link', { name: 'Events' }));
  const acts = page.locator('th.title div > span');
  await acts.filter({ hasText: ACTIONS['token.revoke'] }).waitFor();
  await expectAccessible(page);
  await tabTo(page.getByLabel('Action'));
  await page.keyboard.type('Wallet upd');
  // The first letter selects another action on the way, which has two events as well.
  await expect
    .poll(() => acts.allTextContents())
    .toEqual(['Wallet updated: title, project, network, password', 'Wallet updated: description']);
  await activate(button(page, 'More of Wallet updated').first());
  await activate(button(page, 'Copy request ID'));
  await page.getByText('Copied request ID').waitFor();
  await activate(page.getByRole('link', { name: 'Projects' }));
  // The heading of the screen gets the focus after it is drawn.
  await page.getByRole('heading', { name: 'Projects' }).and(page.locator(':focus')).waitFor();
  await type(page.getByLabel('Find by title'), '');
  await page.keyboard.press('ControlOrMeta+V');
  return page.getByLabel('Find by title').inputValue();
}

function button(place: Page | Locator, name: string): Locator {
  return place.getByRole('button', { name });
}
