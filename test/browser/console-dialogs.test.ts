import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page, Request } from 'playwright-core';
import { expect, test } from 'vitest';
import { createAccountToken } from '../../src/data/create-account-token.ts';
import {
  createApp,
  graphqlBody,
  keyOf,
  PASSWORD,
  projectToken,
  projectTokenOf,
  reasonOf,
  tokenStatus,
} from '../support/actors.ts';
import { graphqlApi } from '../support/apis.ts';
import { startSite, storedBy } from '../support/browser.ts';
import { seedTenant, type Tenant } from '../support/gateway.ts';

const site = startSite();

const api = graphqlApi(() => site.gateway.url);

test('only the changed fields of a wallet are sent, once for each key, and its row shows them', async () => {
  const tenant = await seedTenant(site.gateway, { projects: 2, wallets: 2 });
  const page = await openProject(tenant);
  await page
    .getByRole('button', { name: /^Edit / })
    .first()
    .click();
  const dialog = page.getByRole('dialog', { name: 'Edit the wallet' });
  await dialog.getByLabel('Title').fill('<img src=x onerror=alert(1)>');
  await dialog.getByLabel('New password').fill(PASSWORD);
  const [sent] = await Promise.all([mutation(page), dialog.getByRole('button', { name: 'Save' }).click()]);
  await page.getByText('Saved “<img src=x onerror=alert(1)>”.').waitFor();
  expect(sent.postDataJSON().variables.input).toEqual({
    name: tenant.wallets[0],
    title: '<img src=x onerror=alert(1)>',
    password: PASSWORD,
  });
  expect(await sent.headerValue('idempotency-key')).toMatch(/^[0-9a-f]{32}$/);
  expect(await page.getByRole('heading', { level: 3 }).first().innerText()).toBe(
    '<img src=x onerror=alert(1)>',
  );
});

test('each violation is shown at its field, the first gets the focus, and a wallet can move', async () => {
  const tenant = await seedTenant(site.gateway, { projects: 2, wallets: 2 });
  const page = await openProject(tenant);
  await page
    .getByRole('button', { name: /^Edit / })
    .first()
    .click();
  const title = page.getByLabel('Title');
  await title.fill('');
  await page.getByLabel('New password').fill('🐾'.repeat(31));
  await page.getByText('31 of 32.').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('[aria-invalid=true]').nth(1).waitFor();
  expect(await title.evaluate('document.activeElement.name')).toBe('title');
  expect(await page.locator('.violation').allInnerTexts()).toEqual([
    expect.stringContaining('1 to 200'),
    expect.stringContaining('32'),
  ]);

  await title.fill('Moved');
  await page.getByLabel('New password').fill('🐾'.repeat(32));
  await page.getByLabel('Project', { exact: true }).selectOption(tenant.projects[1] ?? '');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText(/Saved “Moved”, which is now in “.+”\./).waitFor();
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
  const [oauth = '', rest = ''] = await dialog.locator('.command code').allInnerTexts();
  expect((await run(oauth)).access_token).toMatch(/^paw_app_/);
  expect((await run(rest, { TOKEN: tenant.token })).accessToken).toMatch(/^paw_app_/);

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
  await page.getByLabel('Title').fill('Sunny d');
  await page.getByText('The console tries again at').waitFor({ state: 'detached' });
  await page.clock.fastForward(61_000);
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

test('a new key needs a choice of when the old one ends, and then replaces it', async () => {
  const tenant = await seedTenant(site.gateway);
  const app = await createApp(api, tenant.token, { title: 'Till' });
  const page = await openProject(tenant);
  await page.getByRole('button', { name: 'New key for Till' }).click();
  expect(await page.getByRole('radio', { checked: true }).count()).toBe(0);
  await page.getByRole('button', { name: 'Make the new key' }).click();
  await page.getByText('Choose when the old key ends.').waitFor();
  await page.getByLabel('In 1 day').check();
  const [sent] = await Promise.all([
    mutation(page),
    page.getByRole('button', { name: 'Make the new key' }).click(),
  ]);
  expect(sent.postDataJSON().variables.input).toEqual({ name: app.name, gracePeriod: 86_400 });
  const privateKey = await page.getByLabel('Private key', { exact: true }).inputValue();
  await page.getByRole('button', { name: 'I have stored the key' }).click();
  await page.getByText('“Till” has a new key.').waitFor();
  expect(await page.getByText(', the old one until').count()).toBe(1);
  for (const key of [app, { ...app, privateKey }]) {
    expect(await reasonOf(api.signIn(tenant.token, keyOf(key)))).toBe('ok');
  }
});

test('deactivating an app ends its tokens, and it can be activated again', async () => {
  const tenant = await seedTenant(site.gateway);
  const app = await createApp(api, tenant.token, { title: 'Till' });
  const token = await projectTokenOf(api, tenant.token, app);
  const page = await openProject(tenant);
  await page.getByRole('button', { name: 'Deactivate Till' }).click();
  expect(await page.getByRole('dialog').innerText()).toContain('All project tokens of Till end at once');
  await page.getByRole('button', { name: 'Deactivate the app' }).click();
  await page.getByText('“Till” is inactive.').waitFor();
  expect(await tokenStatus(api, token)).toBe('TOKEN_INVALID');
  await page.getByRole('button', { name: 'Activate Till' }).click();
  await page.getByRole('button', { name: 'Activate the app' }).click();
  await page.getByText('“Till” is active.').waitFor();
  expect(await reasonOf(api.signIn(tenant.token, keyOf(app)))).toBe('ok');
});

test('a token is shown the buttons of what it may do only', async () => {
  const tenant = await seedTenant(site.gateway, { wallets: 1 });
  await createApp(api, tenant.token, { title: 'Till' });
  const { account } = tenant;
  const issued = await createAccountToken(site.gateway.admin, { account, readOnly: true }, 86_400);
  const everything = ['Edit Wallet 1', 'Create app', 'New key for Till', 'Deactivate Till'];
  for (const [token, buttons] of [
    [tenant.token, everything],
    [await projectToken(site.gateway, tenant), ['Edit Wallet 1']],
    [issued.accessToken, []],
  ] as const) {
    const page = await openProject(tenant, token);
    await page.getByRole('heading', { name: 'Till' }).waitFor();
    const shown = await page.getByRole('button', { name: /Edit|Create|New key|[Dd]e?activate/ }).all();
    const names = await Promise.all(
      shown.map(async (button) => (await button.getAttribute('aria-label')) ?? (await button.innerText())),
    );
    expect(names.filter((name) => !name.endsWith(' App'))).toEqual(buttons);
  }
});

/** Runs a shown command, and returns the JSON that it prints. */
async function run(command: string, env: Readonly<Record<string, string>> = {}) {
  return JSON.parse((await promisify(execFile)('sh', ['-c', `${command} -s`], { env })).stdout);
}

/** Waits for the request of a mutation. */
function mutation(page: Page): Promise<Request> {
  return page.waitForRequest((request) => request.postData()?.includes('"query":"mutation') ?? false);
}

/** Opens the default project in the console. */
async function openProject({ projects, token }: Tenant, as = token, provoked?: RegExp): Promise<Page> {
  const page = await site.newPage(provoked && { provoked });
  await page.goto(`${site.gateway.url}/console#token=${as}`);
  await page.getByRole('heading', { name: 'Projects' }).waitFor();
  await page.goto(`${site.gateway.url}/console#/${projects[0]}`);
  await page.getByRole('heading', { name: 'Apps' }).waitFor();
  return page;
}
