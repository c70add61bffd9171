import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { createAccountToken } from '../../src/data/create-account-token.ts';
import { createApp, graphqlBody, PASSWORD, projectToken } from '../support/actors.ts';
import { graphqlApi } from '../support/apis.ts';
import { goTo, startSite, storedBy } from '../support/browser.ts';
import { seedTenant, type Tenant } from '../support/gateway.ts';

const site = startSite();
const api = graphqlApi(() => site.gateway.url);

test('only the changed fields of a wallet are sent, with a key, and a wallet can move', async () => {
  const tenant = await seedTenant(site.gateway, { projects: 2, wallets: 1 });
  const page = await openProject(tenant);
  await page.getByRole('button', { name: 'Edit Wallet 1' }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit the wallet' });
  await dialog.getByLabel('Title').fill('Moved');
  await dialog.getByLabel('New password').fill('🐾'.repeat(31));
  await dialog.getByText('31 of 32.').waitFor();
  await dialog.getByLabel('New password').fill(PASSWORD);
  await dialog.getByLabel('Project', { exact: true }).selectOption(tenant.projects[1] ?? '');
  const isMutation = (text: string | null) => text?.includes('"query":"mutation') ?? false;
  const sending = page.waitForRequest((request) => isMutation(request.postData()));
  await dialog.getByRole('button', { name: 'Save' }).click();
  const sent = await sending;
  await page.getByText(/Saved “Moved”, which is now in “.+”\./).waitFor();
  const input = { name: tenant.wallets[0], title: 'Moved', project: tenant.projects[1], password: PASSWORD };
  expect(sent.postDataJSON().variables.input).toEqual(input);
  expect(await sent.headerValue('idempotency-key')).toMatch(/^[0-9a-f]{32}$/);
  expect(await page.getByText('Moved', { exact: true }).count()).toBe(0);
});

test('the key of a new app is shown once, is the same after a lost answer, and is gone after that', async () => {
  const tenant = await seedTenant(site.gateway);
  const page = await openProject(tenant, tenant.token, /ERR_FAILED|status of 422/);
  const project = page.url();
  await page.getByRole('button', { name: 'Create app' }).click();
  await page.getByLabel('Title').fill('Till');
  let lost = '';
  const waiting = Promise.withResolvers<void>();
  await page.route('**/graphql', async (route) => {
    lost = await (await route.fetch()).text();
    await waiting.promise;
    await route.abort();
  });
  await page.getByRole('button', { name: 'Create the app' }).click();
  await page.locator('form[aria-busy=true]').waitFor();
  // While the request is sent, nothing dismisses its dialog.
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  for (const name of ['Close', 'Cancel'])
    await page.getByRole('button', { name, exact: true }).click({ force: true });
  await page.goBack();
  waiting.resolve();
  await page.getByText('The gateway did not answer.').waitFor();
  await page.unroute('**/graphql');
  await page.getByLabel('Title').fill('Another till');
  await page.getByRole('button', { name: 'Create the app' }).click();
  await page.getByText('It was done with what you entered before.').waitFor();
  await page.getByLabel('Title').fill('Till');
  await page.getByRole('button', { name: 'Create the app' }).click();

  const dialog = page.getByRole('dialog', { name: 'The private key of “Till”' });
  const key = await dialog.getByLabel('Private key', { exact: true }).inputValue();
  const name = await dialog.getByText(/^apps\/[0-9A-Z]{26}$/).innerText();
  expect(JSON.parse(lost).data.createApp.app.name).toBe(name);
  expect(JSON.parse(lost).data.createApp.privateKey).toBe(key);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await page.mouse.click(2, 2);
  await page.evaluate('void (location.hash = "#token=paw_acct_other")');
  await expect.poll(() => page.url()).not.toContain('token');
  await page.evaluate('void (location.hash = "#/")');
  const isAsked = page.waitForEvent('dialog');
  await page.evaluate('void setTimeout(() => location.reload())');
  const question = await isAsked;
  expect(question.type()).toBe('beforeunload');
  await question.dismiss();
  await dialog.getByText('Sign in with it').click();
  const command = await dialog.locator('.command code').innerText();
  const { stdout } = await promisify(execFile)('sh', ['-c', `${command} -s`]);
  expect(JSON.parse(stdout).access_token).toMatch(/^paw_app_/);

  await page.evaluate(`location.replace(${JSON.stringify(project)})`);
  await dialog.getByRole('button', { name: 'I have stored the key' }).click();
  await page.getByText('Created “Till”.').waitFor();
  await page.getByRole('heading', { name: 'Till Active' }).waitFor();
  expect(await page.content()).not.toContain(key);
  expect(JSON.stringify([await storedBy(page), page.url()])).not.toContain(key);
  const query = 'query ($name: ID!) { node(id: $name) { ... on Project { apps { totalCount } } } }';
  const { data } = await graphqlBody(site.gateway.url, tenant.token, query, { name: tenant.projects[0] });
  expect(data.node.apps.totalCount).toBe(1);
});

test('a refused change is repeated as it was, but not when the form has been edited since', async () => {
  const tenant = await seedTenant(site.gateway, { wallets: 1 });
  const page = await openProject(tenant, tenant.token, /status of 429/);
  await page.clock.install();
  await page.getByRole('button', { name: 'Edit Wallet 1' }).click();
  const titles: string[] = [];
  await page.route('**/graphql', async (route) => {
    const { input } = route.request().postDataJSON().variables;
    if (input) titles.push(input.title);
    if (!input || titles.length > 1) return route.continue();
    await route.fulfill({ status: 429, headers: { 'retry-after': '60' }, body: '{}' });
  });
  await page.getByLabel('Title').fill('Rainy days');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The console tries again at').waitFor();
  await page.clock.pauseAt(Date.now() + 10_000);
  await page.clock.runFor(1000);
  // While the clock stands still, nothing that the page does after it has drawn the edited form is done.
  await page.getByLabel('Title').fill('Sunny d');
  await page.getByText('The console tries again at').waitFor({ state: 'detached' });
  await page.clock.fastForward(61_000);
  await page.clock.resume();
  await page.getByLabel('Title').fill('Sunny days');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved “Sunny days”.').waitFor();
  expect(titles).toEqual(['Rainy days', 'Sunny days']);
});

test('a form stays as it was filled while a token ends and another one comes by the address', async () => {
  const tenant = await seedTenant(site.gateway, { projects: 120, wallets: 1 });
  const page = await openProject(tenant, tenant.token, /status of 401/);
  await page.getByRole('button', { name: 'Edit Wallet 1' }).click();
  const field = page.getByLabel('Project', { exact: true });
  const target = tenant.projects[110] ?? '';
  await field.locator(`option[value="${target}"]`).waitFor({ state: 'attached' });
  await field.selectOption(target);
  await page.getByLabel('Title').fill('Moved');
  await page.goBack();
  await graphqlBody(site.gateway.url, tenant.token, 'mutation { signOut { clientMutationId } }');
  await page.getByRole('button', { name: 'Save' }).click();
  const dialog = page.getByRole('dialog', { name: 'Enter a token to continue' });
  await dialog.waitFor();
  const input = { account: tenant.account };
  const { accessToken } = await createAccountToken(site.gateway.admin, input, 86_400);
  await page.evaluate(`void (location.hash = '#token=${accessToken}')`);
  await dialog.waitFor({ state: 'detached' });
  expect(await field.inputValue()).toBe(target);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText(/Saved “Moved”, which is now in “Project 11\d”\./).waitFor();
});

test('a token is shown the buttons of what it may do only', async () => {
  const tenant = await seedTenant(site.gateway, { wallets: 1 });
  await createApp(api, tenant.token, { title: 'Till' });
  const { account } = tenant;
  const issued = await createAccountToken(site.gateway.admin, { account, readOnly: true }, 86_400);
  const page = await site.newPage();
  const everything = ['Edit Wallet 1', 'Create app', 'New key for Till', 'Deactivate Till'];
  for (const [token, buttons] of [
    [tenant.token, everything],
    [await projectToken(site.gateway, tenant), ['Edit Wallet 1']],
    [issued.accessToken, []],
  ] as const) {
    await page.goto('about:blank');
    await goTo(page, `${site.gateway.url}/console#token=${token}`);
    await page.getByRole('link', { name: 'Tenant' }).click();
    await page.getByRole('heading', { name: 'Till' }).waitFor();
    const shown = await page.getByRole('button', { name: /Edit|Create|New key|[Dd]e?activate/ }).all();
    const names = await Promise.all(
      shown.map(async (button) => (await button.getAttribute('aria-label')) ?? (await button.innerText())),
    );
    expect(names.filter((name) => !name.endsWith(' App'))).toEqual(buttons);
  }
});

/** Opens the default project in the console. */
async function openProject({ projects, token }: Tenant, as = token, provoked?: RegExp): Promise<Page> {
  const page = await site.open(`/console#token=${as}`, provoked && { provoked });
  await page.getByRole('heading', { name: 'Projects' }).waitFor();
  await page.goto(`${site.gateway.url}/console#/${projects[0]}`);
  await page.getByRole('heading', { name: 'Apps' }).waitFor();
  return page;
}
