import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { createAccountToken } from '../../src/data/create-account-token.ts';
import { createWallet } from '../../src/data/create-wallet.ts';
import { updateProject } from '../../src/data/update-project.ts';
import { createApp, MISSING_PROJECT, signIn } from '../support/actors.ts';
import { graphqlApi } from '../support/apis.ts';
import { goTo, startSite } from '../support/browser.ts';
import { seedTenant } from '../support/gateway.ts';

const HOSTILE = '<img src=x onerror=alert(1)>{{alert(1)}}"><script>alert(1)</script>';

const DATE = expect.stringMatching(/^\d+ \w+ \d{4}, \d\d:\d\d$/);

const site = startSite();
const api = graphqlApi(() => site.gateway.url);

test('projects are loaded in small pages, are there on the way back, and are found by the key /', async () => {
  const { token } = await seedTenant(site.gateway, { projects: 60 });
  const page = await open(token);
  const cards = page.locator('.cards li');
  await page.getByText('60 projects').waitFor();
  expect(await cards.count()).toBe(24);
  const heading = page.getByRole('heading', { name: 'Projects' }).and(page.locator(':focus'));
  await heading.waitFor();
  await page.keyboard.press('Control+/');
  await heading.waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('no. PROJECT 5');
  await page.getByText('15 of 60 projects', { exact: true }).waitFor();
  expect(await page.locator('.cards h2').allInnerTexts()).toContain('Project 59');
  await page.keyboard.type('/');
  await page.getByText('No project contains “no. PROJECT 5/”.').waitFor();

  await page.reload();
  await goTo(page, `${site.gateway.url}/console#token=${token}`);
  await page.getByRole('button', { name: 'Show more' }).scrollIntoViewIfNeeded();
  await page.getByRole('link', { name: 'Project 48' }).waitFor();
  await page.getByRole('button', { name: 'Show more' }).press('Enter');
  const last = page.getByRole('link', { name: 'Project 60' });
  await last.click();
  await page.getByRole('heading', { name: 'Project 60', level: 1 }).waitFor();
  expect(await page.evaluate('scrollY')).toBe(0);
  await page.goBack();
  await last.and(page.locator(':focus')).waitFor();
  await expect.poll(() => page.evaluate<number>('scrollY')).toBeGreaterThan(500);
  expect(await cards.count()).toBe(60);
});

test('a project shows its wallets and its apps, whose titles are text whatever they contain', async () => {
  const { admin } = site.gateway;
  const tenant = await seedTenant(site.gateway, { wallets: 30 });
  const [project = ''] = tenant.projects;
  await updateProject(admin, 'operator', { name: project, title: HOSTILE, description: HOSTILE });
  await createWallet(admin, {
    project,
    title: HOSTILE,
    description: HOSTILE,
    network: 'NETWORK_POLYGON_MUMBAI',
    address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  });
  const app = await createApp(api, tenant.token, { title: HOSTILE });
  await signIn(api, tenant.token, app);
  const { accessToken } = await createAccountToken(admin, { account: tenant.account, title: HOSTILE }, 3600);
  const page = await open(accessToken);
  await page.locator('.session').getByText(HOSTILE).waitFor();
  await page.getByRole('link', { name: HOSTILE }).click();
  await page.getByRole('heading', { name: 'Wallets 31' }).waitFor();
  expect(await page.title()).toBe(`${HOSTILE} · PAW gateway`);
  await page.getByRole('button', { name: 'Show more' }).scrollIntoViewIfNeeded();
  const wallet = page.getByRole('listitem').filter({ hasText: 'Polygon Mumbai' });
  await wallet.getByText('Polygon Mumbai Testnet').waitFor();
  await wallet.getByText('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed').waitFor();
  await wallet.getByRole('heading', { name: HOSTILE }).waitFor();
  expect(await page.getByText('Testnet').count()).toBe(1);
  const row = page.getByRole('listitem').filter({ hasText: 'Last sign-in' });
  await row.getByRole('heading', { name: `${HOSTILE} Active` }).waitFor();
  expect(await row.locator('dd').allInnerTexts()).toEqual([DATE, '1', DATE, `${app.name} Copy`]);
});

test('an empty project shows the command that registers a wallet, and an unknown address a page that says so', async () => {
  const { token, projects } = await seedTenant(site.gateway);
  const page = await open(token);
  await page.getByRole('link', { name: 'Tenant' }).click();
  await page.getByText(`paw wallet create --project ${projects[0]} --title`).waitFor();
  await page.getByText('The project has no apps.').waitFor();
  for (const [path, heading] of [
    [MISSING_PROJECT, 'Project not found'],
    ['projects/1', 'Project not found'],
    ['nothing', 'Page not found'],
  ] as const) {
    await page.evaluate(`location.hash = '#/${path}'`);
    await page.getByRole('heading', { name: heading }).waitFor();
    await page.getByRole('link', { name: 'Show the projects' }).click();
    await page.getByRole('link', { name: 'Tenant' }).waitFor();
  }
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

/** Opens the console with a token, and waits for the first project. */
async function open(token: string): Promise<Page> {
  const page = await site.open(`/console#token=${token}`);
  await page.locator('.cards a').first().waitFor();
  return page;
}
