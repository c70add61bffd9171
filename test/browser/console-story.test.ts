import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { createAccountToken } from '../../src/data/create-account-token.ts';
import { violationsOf } from '../support/accessibility.ts';
import { type AppKey, PASSWORD, projectTokenOf, reasonOf, tokenStatus } from '../support/actors.ts';
import { restApi } from '../support/apis.ts';
import { startSite, storedBy } from '../support/browser.ts';
import { seedTenant } from '../support/gateway.ts';
import { activate, tabTo, type } from '../support/keyboard.ts';

const SCHEMES = ['light', 'dark'] as const;

const site = startSite();
const api = restApi(() => site.gateway.url);

test.each([375, 1280])('everything can be done by the keyboard alone at %i pixels', async (width) => {
  const {
    account,
    token,
    wallets: [wallet = ''],
  } = await seedTenant(site.gateway, { projects: 30, wallets: 2 });
  const other = await createAccountToken(site.gateway.admin, { account, title: 'Dashboard' }, 86_400);
  const page = await site.newPage({ viewport: { width, height: 800 }, provoked: /status of 401/ });
  await page.goto(`${site.gateway.url}/console`);
  const button = (name: string) => page.getByRole('button', { name });
  const dialog = page.getByRole('dialog');
  const tokenField = page.getByLabel('Token', { exact: true });

  await expectAccessible(page);
  await type(page, tokenField, 'paw_acct_wrong');
  await page.keyboard.press('Enter');
  await page.getByText('The bearer token is malformed').waitFor();
  await expectAccessible(page);
  await type(page, tokenField, token);
  await activate(page, page.getByLabel('Keep for this tab'), 'Space');
  await activate(page, button('Continue'));

  await page.getByText('30 projects').waitFor();
  await expectAccessible(page);
  await page.keyboard.press('/');
  await page.keyboard.type('tenant');
  await page.getByText('1 of 30 projects', { exact: true }).waitFor();
  await activate(page, page.getByRole('link', { name: 'Tenant' }));
  await page.getByRole('heading', { name: 'Wallet 2' }).waitFor();
  await page.getByText('The project has no apps.').waitFor();
  await expectAccessible(page);

  await activate(page, button('Edit Wallet 1'));
  await dialog.getByLabel('Project').waitFor();
  await expectAccessible(page);
  await type(page, dialog.getByLabel('Title'), '');
  await type(page, dialog.getByLabel('New password'), 'short');
  await page.keyboard.press('Enter');
  await dialog.locator('.violation').nth(1).waitFor();
  expect(await dialog.locator('[name=title]:focus[aria-invalid=true]').count()).toBe(1);
  await expectAccessible(page);
  await type(page, dialog.getByLabel('Title'), 'Rainy days');
  await tabTo(page, dialog.getByLabel('Network'));
  await page.keyboard.type('Polygon M');
  await type(page, dialog.getByLabel('New password'), PASSWORD);
  await activate(page, dialog.getByRole('button', { name: 'Show' }), 'Space');
  await activate(page, dialog.getByRole('button', { name: 'Save' }));
  await page.getByText('Saved “Rainy days”.').waitFor();
  await expectAccessible(page);
  expect((await api.updateWallet(token, wallet, {})).value).toMatchObject({
    title: 'Rainy days',
    description: 'No. 1',
    network: 'NETWORK_POLYGON_MUMBAI',
  });

  await activate(page, button('Create app'));
  await expectAccessible(page);
  await type(page, dialog.getByLabel('Title'), 'Till');
  await page.keyboard.press('Enter');
  const key = await storeKey(page);
  const projectToken = await projectTokenOf(api, token, key);
  await expectAccessible(page);

  await activate(page, button('New key for Till'));
  await activate(page, dialog.getByRole('button', { name: 'Make the new key' }));
  await dialog.getByText('Choose when the old key ends.').waitFor();
  await expectAccessible(page);
  await tabTo(page, dialog.getByRole('radio').first());
  await page.keyboard.press('ArrowDown');
  expect(await dialog.getByLabel('In 1 hour').isChecked()).toBe(true);
  await activate(page, dialog.getByRole('button', { name: 'Make the new key' }));
  const newKey = await storeKey(page);
  for (const each of [key, newKey]) expect(await reasonOf(api.signIn(token, each))).toBe('ok');

  await activate(page, button('Deactivate Till'));
  await expectAccessible(page);
  await activate(page, dialog.getByRole('button', { name: 'Deactivate the app' }));
  await page.getByText('“Till” is inactive.').waitFor();
  expect(await tokenStatus(api, projectToken)).toBe('TOKEN_INVALID');
  await expectAccessible(page);
  await activate(page, button('Activate Till'));
  await expectAccessible(page);
  await activate(page, dialog.getByRole('button', { name: 'Activate the app' }));
  await page.getByText('“Till” is active.').waitFor();
  expect(await reasonOf(api.signIn(token, newKey))).toBe('ok');

  await activate(page, page.getByRole('link', { name: 'Tokens' }));
  await activate(page, button('Revoke “Dashboard”'));
  await expectAccessible(page);
  await activate(page, dialog.getByRole('button', { name: 'Revoke the token' }));
  await page.getByText('The token “Dashboard” has ended.').waitFor();
  expect(await tokenStatus(api, other.accessToken)).toBe('TOKEN_INVALID');
  await expectAccessible(page);

  await activate(page, button('End the token'));
  await expectAccessible(page);
  await activate(page, dialog.getByRole('button', { name: 'End the token' }));
  await page.getByText('The token has ended.').waitFor();
  await expectAccessible(page);
  expect(await tokenStatus(api, token)).toBe('TOKEN_INVALID');
  expect(await storedBy(page)).toEqual([]);
});

/** Stores the key of an app that the console shows, and returns it. Escape and going back do not end the dialog. */
async function storeKey(page: Page): Promise<AppKey> {
  const dialog = page.getByRole('dialog', { name: 'The private key of “Till”' });
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await activate(page, dialog.getByText('Sign in with it'));
  await expectAccessible(page);
  const privateKey = await dialog.getByRole('textbox', { name: 'Private key' }).inputValue();
  const [name = ''] = /apps\/\w{26}/.exec(await dialog.innerText()) ?? [];
  await activate(page, dialog.getByRole('button', { name: 'I have stored the key' }));
  await dialog.waitFor({ state: 'detached' });
  expect(await page.content()).not.toContain(privateKey);
  return { name, privateKey };
}

/**
 * Expects that what is shown meets WCAG 2.2 AA on both color schemes, has the focus, and needs no sideways scroll at 320
 * pixels.
 */
async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme });
    expect(await violationsOf(page)).toEqual([]);
  }
  expect(await page.evaluate('document.activeElement.localName')).not.toBe('body');
  const { width = 0, height = 0 } = page.viewportSize() ?? {};
  await page.setViewportSize({ width: 320, height });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
  await page.setViewportSize({ width, height });
}
