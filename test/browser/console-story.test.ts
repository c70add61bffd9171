import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { createAccountToken } from '../../src/data/create-account-token.ts';
import { expectAccessible, expectReachable } from '../support/accessibility.ts';
import { type AppKey, PASSWORD, projectTokenOf, reasonOf, tokenStatus } from '../support/actors.ts';
import { bothApis } from '../support/apis.ts';
import { startSite, storedBy } from '../support/browser.ts';
import { seedTenant } from '../support/gateway.ts';
import { activate, tabTo, type } from '../support/keyboard.ts';

const SCREEN = { width: 1280, height: 800 };
const PHONE = { width: 320, height: 800 };

const site = startSite();
const apis = bothApis(() => site.gateway.url);
const [api] = apis;

test('everything can be done by the keyboard alone, on a screen and on a phone', async () => {
  const { gateway } = site;
  const { account, token, wallets } = await seedTenant(gateway, { projects: 30, wallets: 2 });
  const dashboard = await createAccountToken(gateway.admin, { account, title: 'Dashboard' }, 86_400);
  // The ids of two generators sort by time only if the time differs.
  gateway.clock.advance(1);
  const page = await site.newPage({ viewport: SCREEN, provoked: /status of 401/ });
  await page.goto(`${gateway.url}/console`);

  await enter(page, token);
  await openProject(page);
  await page.setViewportSize(PHONE);
  await editWallet(page);
  expect((await api.updateWallet(token, wallets[0] ?? '', {})).value).toMatchObject({
    title: 'Rainy days',
    description: 'No. 1',
    network: 'NETWORK_POLYGON_MUMBAI',
  });

  const key = await createApp(page);
  const projectToken = await projectTokenOf(api, token, key);
  const newKey = await rotateKey(page);
  for (const each of apis) {
    for (const app of [key, newKey]) expect(await reasonOf(each.signIn(token, app))).toBe('ok');
  }
  await switchApp(page, 'Deactivate', '“Till” is inactive.');
  expect(await tokenStatus(api, projectToken)).toBe('TOKEN_INVALID');
  await switchApp(page, 'Activate', '“Till” is active.');
  expect(await reasonOf(api.signIn(token, newKey))).toBe('ok');

  await revoke(page);
  await page.setViewportSize(SCREEN);
  expect(await tokenStatus(api, dashboard.accessToken)).toBe('TOKEN_INVALID');
  expect(gateway.log()).toContain(`"reqId":"${await copyRequestId(page)}"`);

  await endToken(page);
  expect(await tokenStatus(api, token)).toBe('TOKEN_INVALID');
  expect(await storedBy(page)).toEqual([]);
  for (const secret of [token, key.privateKey, newKey.privateKey, PASSWORD]) {
    expect(gateway.log() + page.url() + (await page.content())).not.toContain(secret);
  }
});

async function enter(page: Page, token: string): Promise<void> {
  const field = page.getByLabel('Token', { exact: true });
  await type(field, 'paw_acct_wrong');
  await page.keyboard.press('Enter');
  await page.getByText('The bearer token is malformed').waitFor();
  await expectAccessible(page);
  await type(field, token);
  await activate(page.getByLabel('Keep for this tab'), 'Space');
  await activate(button(page, 'Continue'));
}

async function openProject(page: Page): Promise<void> {
  await page.getByText('30 projects').waitFor();
  await expectAccessible(page);
  await page.keyboard.press('/');
  await page.keyboard.type('tenant');
  await page.getByText('1 of 30 projects', { exact: true }).waitFor();
  await activate(page.getByRole('link', { name: 'Tenant' }));
  await page.getByRole('heading', { name: 'Wallet 2' }).waitFor();
  await page.getByText('The project has no apps.').waitFor();
  await expectAccessible(page);
}

/** Edits a wallet, first with values that are not valid. */
async function editWallet(page: Page): Promise<void> {
  await activate(button(page, 'Edit Wallet 1'));
  const dialog = page.getByRole('dialog', { name: 'Edit the wallet' });
  const [title, password] = [dialog.getByLabel('Title'), dialog.getByLabel('New password')];
  await dialog.getByLabel('Project').waitFor();
  await type(title, '');
  await type(password, 'short');
  await page.keyboard.press('Enter');
  await dialog.locator('.violation').nth(1).waitFor();
  await title.and(page.locator(':focus[aria-invalid=true]')).waitFor();
  await expectAccessible(page);

  await type(title, 'Rainy days');
  await tabTo(dialog.getByLabel('Network'));
  await page.keyboard.type('Polygon M');
  await type(password, PASSWORD);
  await activate(button(dialog, 'Show'), 'Space');
  await activate(button(dialog, 'Save'));
  await page.getByText('Saved “Rainy days”.').waitFor();
  await expectReachable(page);
}

async function createApp(page: Page): Promise<AppKey> {
  await activate(button(page, 'Create app'));
  await expectAccessible(page);
  await type(page.getByRole('dialog').getByLabel('Title'), 'Till');
  await page.keyboard.press('Enter');
  return storeKey(page, expectAccessible);
}

async function rotateKey(page: Page): Promise<AppKey> {
  await activate(button(page, 'New key for Till'));
  const dialog = page.getByRole('dialog', { name: 'A new key for “Till”' });
  await activate(button(dialog, 'Make the new key'));
  await dialog.getByText('Choose when the old key ends.').waitFor();
  await expectAccessible(page);
  await tabTo(dialog.getByLabel('At once'));
  await page.keyboard.press('ArrowDown');
  expect(await dialog.getByLabel('In 1 hour').isChecked()).toBe(true);
  await activate(button(dialog, 'Make the new key'));
  return storeKey(page);
}

/** Stores the key that is shown, and returns it. Escape does not end its dialog. */
async function storeKey(page: Page, check = expectReachable): Promise<AppKey> {
  const dialog = page.getByRole('dialog', { name: 'The private key of “Till”' });
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await activate(dialog.getByText('Sign in with it'));
  await check(page);
  const privateKey = await dialog.getByRole('textbox', { name: 'Private key' }).inputValue();
  const [name = ''] = /apps\/\w{26}/.exec(await dialog.innerText()) ?? [];
  await activate(button(dialog, 'I have stored the key'));
  await dialog.waitFor({ state: 'detached' });
  await expectReachable(page);
  expect(await page.content()).not.toContain(privateKey);
  return { name, privateKey };
}

async function switchApp(page: Page, action: 'Activate' | 'Deactivate', result: string): Promise<void> {
  await activate(button(page, `${action} Till`));
  await expectReachable(page);
  await activate(button(page.getByRole('dialog'), `${action} the app`));
  await page.getByText(result).waitFor();
}

async function revoke(page: Page): Promise<void> {
  await activate(page.getByRole('link', { name: 'Tokens' }));
  await activate(button(page, 'Revoke “Dashboard”'));
  await expectAccessible(page);
  await activate(button(page.getByRole('dialog'), 'Revoke the token'));
  await page.getByText('The token “Dashboard” has ended.').waitFor();
  await expectReachable(page);
}

/** Copies the request id of the only update of a wallet. Pastes it into a field, and returns it. */
async function copyRequestId(page: Page): Promise<string> {
  await activate(page.getByRole('link', { name: 'Events' }));
  await page.getByRole('cell', { name: 'token.revoke' }).waitFor();
  await expectAccessible(page);
  await tabTo(page.getByLabel('Action'));
  await page.keyboard.type('wallet.update');
  await page.getByText('1 event', { exact: true }).waitFor();
  await activate(button(page, 'Copy the request id'));
  await page.getByText('Copied the request id').waitFor();
  await activate(page.getByRole('link', { name: 'Projects' }));
  // The heading of the screen gets the focus after it is drawn.
  await page.getByRole('heading', { name: 'Projects' }).and(page.locator(':focus')).waitFor();
  await type(page.getByLabel('Find projects'), '');
  await page.keyboard.press('ControlOrMeta+V');
  return page.getByLabel('Find projects').inputValue();
}

async function endToken(page: Page): Promise<void> {
  await activate(button(page, 'End the token'));
  await expectReachable(page);
  await activate(button(page.getByRole('dialog'), 'End the token'));
  await page.getByText('The token has ended.').waitFor();
  await expectAccessible(page);
}

function button(place: Page | Locator, name: string): Locator {
  return place.getByRole('button', { name });
}
