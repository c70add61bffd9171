// @module-tag needs/chromium
// @module-tag night/browser

import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { TEXTS } from '../../console/app/texts.ts';
import { expectAccessible } from '../support/accessibility.ts';
import { graphqlApi } from '../support/both-apis.ts';
import { showScreen, startSite } from '../support/browser.ts';
import { seedTenant, type Tenant } from '../support/gateway.ts';
import { createApp, graphqlBody, mutate, PASSWORD, resultOf, tokenStatus } from '../support/requests.ts';
import { paw } from '../support/run-command.ts';

const site = startSite();
const api = graphqlApi(() => site.gateway.url);

const run = promisify(execFile);

const FORMS = ['GraphQL', 'curl', 'REST', 'paw'];

const TITLE = `O'Brien "$HOME" \`id\` \\ é👩‍🚀`;

test('create an app: each form of the request creates what the console creates', async () => {
  const tenant = await seedTenant(site.gateway);
  const page = await openScreen(tenant, `${tenant.project}/apps`);
  for (const form of [...FORMS, 'Console']) {
    await page.getByRole('button', { name: 'Create app' }).click();
    const dialog = page.getByRole('dialog');
    await showRequest(dialog);
    await dialog.getByLabel('Title', { exact: true }).fill(TITLE);
    if (form !== 'Console') {
      await runShown(dialog, tenant, form);
      page.once('dialog', (question) => question.accept());
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      continue;
    }
    const shown = await textOf(dialog, 'curl');
    await dialog.getByRole('button', { name: 'Create the app' }).click();
    await page.getByRole('button', { name: TEXTS.secretSaved('key') }).waitFor();
    // The request is the same, with its key: it is answered again, and creates no second app.
    const answer = await inShell(shown, tenant);
    const key = await page.getByLabel('Private key', { exact: true }).inputValue();
    expect(answer.data.createApp.privateKey).toBe(key);
  }
  const query = `query ($name: ID!) { node(id: $name) { ... on Project { apps { nodes { title active } } } } }`;
  const { data } = await graphqlBody(site.gateway.url, tenant.token, query, { name: tenant.project });
  expect(data.node.apps.nodes).toEqual(Array(5).fill({ title: TITLE, active: true }));
});

test('edit a wallet: each form of the request changes what the console changes', async () => {
  const tenant = await seedTenant(site.gateway, { projects: 2, wallets: 5 });
  const { wallets } = tenant;
  const page = await openScreen(tenant, '');
  const description = `Lines\n${TITLE}\n--title=x`;
  const changed: unknown[] = [];
  for (const [index, form] of [...FORMS, 'Console'].entries()) {
    await showScreen(page, wallets[index] ?? '');
    await page.getByRole('button', { name: 'Edit wallet' }).click();
    const dialog = page.getByRole('dialog');
    await showRequest(dialog);
    await dialog.getByLabel('Title', { exact: true }).fill(`${TITLE} ${index}`);
    await dialog.getByLabel('Description').fill(description);
    await dialog.getByLabel('Network').selectOption('Polygon');
    if (form === 'Console') {
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved “').waitFor();
    } else {
      await runShown(dialog, tenant, form);
      page.once('dialog', (question) => question.accept());
      await dialog.getByRole('button', { name: 'Cancel' }).click();
    }
    const { title, ...others } = await resultOf(api.updateWallet(tenant.token, wallets[index] ?? '', {}));
    expect(title).toBe(`${TITLE} ${index}`);
    changed.push({ ...others, name: '', address: '' });
  }
  expect(changed).toEqual(
    Array(5).fill({ ...(changed.at(-1) as object), description, network: 'NETWORK_POLYGON' }),
  );
});

test('list projects: each form of the request returns the rows of the console, also with a filter', async () => {
  const tenant = await seedTenant(site.gateway, { projects: 30 });
  const page = await openScreen(tenant, '');
  await page.getByText('30 projects').waitFor();
  const names = tenant.projects.slice(0, 24);
  await showRequest(page.locator('main'));
  for (const form of FORMS)
    expect(namesIn(await runShown(page.locator('main'), tenant, form))).toEqual(names);

  await page.getByLabel('Find by title').fill('project 1');
  await page.getByText('10 projects').waitFor();
  expect(await page.locator('.request button[aria-pressed]').allInnerTexts()).toEqual([
    'GraphQL',
    'Variables',
    'curl',
  ]);
  // There is no command with a title.
  expect(await page.locator('.request [aria-pressed=true]').allInnerTexts()).toEqual(['curl']);
  expect(await page.locator('.request p').innerText()).not.toContain('operator');
  for (const form of ['GraphQL', 'curl']) {
    const answer = await runShown(page.locator('main'), tenant, form);
    expect(namesIn(answer)).toEqual(tenant.projects.slice(9, 19));
  }
});

test('a password is nowhere in the request, which sets the one of the variable, and GraphiQL has the request and the token', async () => {
  const tenant = await seedTenant(site.gateway, { wallets: 1 });
  const page = await openScreen(tenant, tenant.wallet);
  await page.getByRole('button', { name: 'Edit wallet' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('New password').fill(PASSWORD);
  await showRequest(dialog);
  await expectAccessible(page);
  for (const form of ['curl', 'REST']) await textOf(dialog, form);
  expect(await dialog.innerHTML()).not.toContain(PASSWORD);
  await runShown(dialog, tenant, 'REST');
  await dialog.getByRole('button', { name: 'Copy request' }).click();
  await dialog.getByText('Copied request').waitFor();

  const opening = page.waitForEvent('popup');
  await dialog.getByRole('link', { name: 'Open in GraphiQL' }).click();
  const graphiql = await opening;
  expect(graphiql.url()).not.toContain(encodeURIComponent(PASSWORD).slice(0, 7));
  expect(graphiql.url()).not.toContain(tenant.token);
  await graphiql.getByLabel('Variables').getByText('"$PASSWORD"').waitFor();
  expect(await graphiql.getByLabel('Bearer token').inputValue()).toBe(tenant.token);
  const answering = graphiql.waitForResponse('**/graphql');
  await graphiql.getByRole('button', { name: 'Execute query' }).click();
  const { errors } = await (await answering).json();
  expect(errors[0].extensions.fieldViolations).toMatchObject([{ field: 'password' }]);
});

// The paths of screens, and the button of each that opens a form.
const DIALOGS = [
  ['', 'Create project'],
  ['<project>', 'Create wallet'],
  ['<project>', 'Edit project'],
  ['<project>/apps', 'Create app'],
  ['<project>/settings', 'Delete project'],
  ['<wallet>', 'Edit wallet'],
  ['<wallet>', 'Archive'],
  ['<archived>', TEXTS.unarchive],
  ['<app>', 'Rename'],
  ['<app>', TEXTS.rotateKey],
  ['<app>', 'Deactivate'],
  ['<app>', 'Delete'],
  ['tokens', 'Create token'],
  ['tokens', 'Revoke '],
] as const;

const LISTS = ['', '<project>', '<project>/apps', 'wallets?title=w', 'tokens', 'events'];

test('every form and every list of the console shows its request, and sends nothing for it', async () => {
  const tenant = await seedTenant(site.gateway, { wallets: 2 });
  const [wallet = '', archived = ''] = tenant.wallets;
  await mutate(site.gateway.url, tenant.token, 'archiveWallet', { name: archived });
  const app = await createApp(api, tenant.token, { title: 'Till' });
  const names: Readonly<Record<string, string>> = {
    project: tenant.project,
    wallet,
    archived,
    app: app.name,
  };
  const page = await openScreen(tenant, '');
  const sent: string[] = [];
  page.on('request', (request) => sent.push(operationIn(request.postDataJSON()?.query ?? '')));
  const shown = new Set<string>();
  const show = async (path: string) => {
    await showScreen(
      page,
      path.replace(/<(\w+)>/, (_, kind) => names[kind] ?? ''),
    );
    await page.locator('.tools, .properties').first().waitFor();
  };
  for (const [path, button] of DIALOGS) {
    await show(path);
    await page.getByRole('button', { name: button }).last().click();
    const dialog = page.getByRole('dialog');
    await showRequest(dialog);
    if (button === TEXTS.rotateKey) {
      await dialog.getByText('Fill in the form first.').waitFor();
      await dialog.getByLabel(TEXTS.oldKeyExpires).selectOption({ index: 1 });
    }
    shown.add(operationIn(await textOf(dialog, 'GraphQL')));
    await dialog.getByRole('button', { name: 'Cancel' }).waitFor();
    await page.reload();
    await page.locator('.session').waitFor();
  }
  for (const path of LISTS) {
    await show(path);
    await showRequest(page.locator('main'));
    shown.add(operationIn(await textOf(page.locator('main'), 'GraphQL')));
    await page.reload();
    await page.locator('.session').waitFor();
  }
  const documents = globSync('console/app/**/*.graphql').map((file) => readFileSync(file, 'utf8'));
  const operations = documents.flatMap((text) => text.match(/^(query|mutation)[\s\S]*?^}/gm) ?? []);
  const expected = operations.filter((text) => text.startsWith('mutation') || text.includes('pageInfo'));
  expect([...shown].toSorted()).toEqual(expected.map(operationIn).toSorted());
  expect(sent.filter((operation) => operation.startsWith('mutation'))).toEqual([]);
});

test('the request that revokes the token of the console is one of OAuth, and is run by a shell', async () => {
  const tenant = await seedTenant(site.gateway);
  const page = await openScreen(tenant, '');
  await page.locator('.opener').click();
  await page.getByRole('button', { name: TEXTS.revokeToken }).click();
  const dialog = page.getByRole('dialog');
  await showRequest(dialog);
  await dialog.locator('.request [aria-pressed=true]').getByText('curl').waitFor();
  const text = await dialog.locator('.request pre').innerText();
  await run('sh', ['-c', `${text} -sS --fail-with-body`], {
    env: { ...process.env, PAW_TOKEN: tenant.token },
  });
  expect(await tokenStatus(api, tenant.token)).toBe('TOKEN_INVALID');
});

async function openScreen(tenant: Tenant, path: string): Promise<Page> {
  const page = await site.openConsole(tenant.token);
  await showScreen(page, path);
  return page;
}

async function showRequest(place: Locator): Promise<void> {
  await place.getByRole('button', { name: 'Show the request' }).first().click();
}

/** Returns a form of the shown request. */
async function textOf(place: Locator, form: string): Promise<string> {
  await place.locator('.request').getByRole('button', { name: form, exact: true }).click();
  await place.locator('.request [aria-pressed=true]').getByText(form, { exact: true }).waitFor();
  return place.locator('.request pre').innerText();
}

/** Runs a form of the shown request, and returns the response. */
// biome-ignore lint/suspicious/noExplicitAny: the tests check the values
async function runShown(place: Locator, tenant: Tenant, form: string): Promise<any> {
  const text = await textOf(place, form);
  if (form !== 'GraphQL') return inShell(text, tenant);
  const variables = JSON.parse(await textOf(place, 'Variables'));
  return graphqlBody(site.gateway.url, tenant.token, text, variables);
}

/** Runs lines in a shell, and `paw` in this process with the words that the shell makes. */
// biome-ignore lint/suspicious/noExplicitAny: the tests check the values
async function inShell(text: string, { token }: Tenant): Promise<any> {
  const isCommand = text.startsWith('npm run -s paw -- ');
  const script = isCommand
    ? text.replace('npm run -s paw --', `printf '%s\\0'`)
    : `${text} -sS --fail-with-body`;
  const { stdout } = await run('sh', ['-c', script], { env: { ...process.env, PAW_TOKEN: token, PASSWORD } });
  if (!isCommand) return JSON.parse(stdout);
  const words = [...stdout.split('\0').slice(0, -1), '--json'];
  const result = await paw(words, { DATABASE_URL: site.gateway.databaseUrl });
  expect(result).toMatchObject({ status: 0, stderr: '' });
  return JSON.parse(result.stdout);
}

/** Returns the names in a list of projects, of any API. */
// biome-ignore lint/suspicious/noExplicitAny: the tests check the values
function namesIn({ data, projects = data.projects.nodes }: any): readonly string[] {
  return projects.map(({ name }: { name: string }) => name);
}

/** Returns the kind and the name of an operation, such as `query Apps`. */
function operationIn(document: string): string {
  return document.match(/^\w+ \w+/)?.[0] ?? '';
}
