import type { Locator, Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { createAccountToken } from '../../src/data/create-account-token.ts';
import { createApp, graphqlBody, tokenStatus } from '../support/actors.ts';
import { graphqlApi } from '../support/apis.ts';
import { goTo, startSite } from '../support/browser.ts';
import { seedTenant } from '../support/gateway.ts';

/** A way in which a request fails on the network or at the gateway. */
type Fault = {
  readonly answer: (route: Route) => Promise<void>;
  /** What the person reads then. */
  readonly text: string;
};

const SMALL_PHONE = { width: 320, height: 568 };

const FAULTS: readonly Fault[] = [
  { answer: (route) => route.abort(), text: 'The gateway did not answer.' },
  { answer: (route) => route.fulfill({ status: 502, body: '<h1>Bad gateway</h1>' }), text: 'status 502' },
  { answer: (route) => route.fulfill({ body: '<h1>Log in</h1>' }), text: 'not one of the gateway' },
  { answer: refusal(429, 'RATE_LIMITED'), text: 'RATE_LIMITED' },
  { answer: refusal(503, 'OVERLOADED'), text: 'OVERLOADED' },
  { answer: refusal(503, 'RESULT_UNKNOWN'), text: 'RESULT_UNKNOWN' },
];

const site = startSite();
const api = graphqlApi(() => site.gateway.url);

test.each([
  { screen: 'a project', operation: 'Project', path: '<project>/settings', text: 'Created' },
  { screen: 'the wallets', operation: 'Wallets', path: '<project>', text: 'Wallet 1' },
  { screen: 'a wallet', operation: 'Wallet', path: '<wallet>', text: 'No. 1' },
  { screen: 'the apps', operation: 'Apps', path: '<project>/apps', text: 'Till' },
  { screen: 'an app', operation: 'App', path: '<app>', text: 'Last sign-in' },
  { screen: 'the tokens', operation: 'Tokens', path: 'tokens', text: 'This token' },
  { screen: 'the events', operation: 'Events', path: 'events', text: 'The operator' },
])('what $screen shows is there after every failure of the request', async ({ operation, path, text }) => {
  const { token, projects, wallets } = await seedTenant(site.gateway, { wallets: 1 });
  const { name } = await createApp(api, token, { title: 'Till' });
  const page = await openWith(token);
  const names: Record<string, string | undefined> = { project: projects[0], wallet: wallets[0], app: name };
  const url = `${site.gateway.url}/console#/${path.replace(/<(\w+)>/, (_, kind) => names[kind] ?? '')}`;
  await persist(page, token, operation, async () => void (await page.goto(url)));
  await page.getByText(text).first().waitFor();
});

/** A change: what opens its form and fills it, the button that sends it, and what is shown when it is done. */
const CHANGES: readonly {
  readonly action: string;
  readonly operation: string;
  /** The links to its screen. */
  readonly links: readonly string[];
  readonly open: string;
  readonly fill?: (dialog: Locator) => Promise<void>;
  readonly button: string;
  readonly done: string;
}[] = [
  {
    action: 'project.create',
    operation: 'CreateProject',
    links: [],
    open: 'Create project',
    fill: (dialog) => dialog.getByLabel('Title').fill('Shop'),
    button: 'Create the project',
    done: 'The project has no wallets.',
  },
  {
    action: 'project.update',
    operation: 'UpdateProject',
    links: ['Tenant', 'Settings'],
    open: 'Edit project',
    fill: (dialog) => dialog.getByLabel('Title').fill('Shop'),
    button: 'Save',
    done: 'Project updated',
  },
  {
    action: 'app.delete',
    operation: 'DeleteApp',
    links: ['Tenant', 'Apps', 'Till'],
    open: 'Delete',
    button: 'Delete the app',
    done: 'The project has no apps.',
  },
  {
    action: 'wallet.update',
    operation: 'UpdateWallet',
    links: ['Tenant'],
    open: 'Edit Wallet 1',
    fill: (dialog) => dialog.getByLabel('Title').fill('Rainy days'),
    button: 'Save',
    done: 'Saved “Rainy days”.',
  },
  {
    action: 'app.create',
    operation: 'CreateApp',
    links: ['Tenant', 'Apps'],
    open: 'Create app',
    fill: (dialog) => dialog.getByLabel('Title').fill('Back office'),
    button: 'Create the app',
    done: 'The private key of “Back office”',
  },
  {
    action: 'app.rotate_key',
    operation: 'RotateAppKey',
    links: ['Tenant', 'Apps', 'Till'],
    open: 'New key',
    fill: async (dialog) => void (await dialog.getByLabel('The old key').selectOption('At once')),
    button: 'Make the new key',
    done: 'The private key of “Till”',
  },
  {
    action: 'app.deactivate',
    operation: 'UpdateApp',
    links: ['Tenant', 'Apps', 'Till'],
    open: 'Deactivate',
    button: 'Deactivate the app',
    done: '“Till” is inactive.',
  },
  {
    action: 'token.revoke',
    operation: 'RevokeToken',
    links: ['Tokens'],
    open: 'Revoke “Dashboard”',
    button: 'Revoke the token',
    done: 'The token “Dashboard” has ended.',
  },
];

test.each(CHANGES)(
  '$action is done once after every failure, with the form as it was filled',
  async (change) => {
    const { account, token } = await seedTenant(site.gateway, { wallets: 1 });
    await createAccountToken(site.gateway.admin, { account, title: 'Dashboard' }, 86_400);
    await createApp(api, token, { title: 'Till' });
    const before = await countEvents(token, change.action);
    const page = await openWith(token);
    for (const name of change.links) await page.getByRole('link', { name }).click();
    await page.getByRole('button', { name: change.open }).click();
    await change.fill?.(page.getByRole('dialog'));
    const button = page.getByRole('button', { name: change.button });
    await persist(page, token, change.operation, () => button.press('Enter'));

    await page.route('**/graphql', loseAnswer);
    await button.click();
    const problem = page.getByText('The gateway did not answer.');
    await problem.waitFor();
    const { y = 0, height = 0 } = (await problem.boundingBox()) ?? {};
    expect(y + height).toBeLessThan(SMALL_PHONE.height);
    expect(await countEvents(token, change.action)).toBe(before + 1);
    await page.unroute('**/graphql', loseAnswer);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText(change.done).waitFor();
    expect(await countEvents(token, change.action)).toBe(before + 1);
  },
);

test('the token is ended after a failure of the request', async () => {
  const { token } = await seedTenant(site.gateway);
  const page = await openWith(token);
  await page.getByRole('button', { name: 'Account token' }).click();
  await page.getByRole('button', { name: 'End the token' }).click();
  await page.route('**/oauth/revoke', (route) => route.abort(), { times: 1 });
  await page.getByRole('dialog').getByRole('button', { name: 'End the token' }).press('Enter');
  await page.getByText('The gateway did not answer.').waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('The token has ended.').waitFor();
  expect(await tokenStatus(api, token)).toBe('TOKEN_INVALID');
});

/**
 * Lets the requests of an operation fail in every way: the first one after a while, the last one because the token is
 * refused. Then enters the token again.
 *
 * @param start does what sends the first request; while it has no answer, it is done a second time
 */
async function persist(
  page: Page,
  token: string,
  operation: string,
  start: () => Promise<void>,
): Promise<void> {
  const released = Promise.withResolvers<void>();
  const faults = [...FAULTS.map(({ answer }) => answer), refusal(401, 'TOKEN_INVALID')].entries();
  const ofOperation = new RegExp(`(query|mutation) ${operation}\\b`);
  await page.route('**/graphql', async (route) => {
    const isOfOperation = ofOperation.test(route.request().postData() ?? '');
    const [index, answer] = (isOfOperation ? faults.next().value : undefined) ?? [];
    if (index === 0) await released.promise;
    await (answer?.(route) ?? route.continue());
  });
  await start();
  await page.locator('[aria-busy=true], .loading').first().waitFor();
  await start();
  released.resolve();
  for (const { text } of FAULTS) {
    const alert = page.getByRole('alert').filter({ hasText: text });
    await alert.waitFor();
    // The button of the error before had it.
    expect(await page.evaluate('document.activeElement.tagName')).not.toBe('BODY');
    await alert.getByRole('button', { name: 'Try again' }).click();
  }
  const dialog = page.getByRole('dialog', { name: 'Enter a token to continue' });
  await dialog.getByLabel('Token', { exact: true }).fill(token);
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
}

/** Opens the console with a token. */
async function openWith(token: string): Promise<Page> {
  const page = await site.newPage({ viewport: SMALL_PHONE, provoked: /Failed to load resource/ });
  await goTo(page, `${site.gateway.url}/console#token=${token}`);
  await page.getByRole('link', { name: 'Tenant' }).waitFor();
  return page;
}

/** Lets a mutation reach the gateway, but not its answer the console. */
async function loseAnswer(route: Route): Promise<void> {
  if (!route.request().postData()?.includes('mutation')) return route.continue();
  await route.fetch();
  await route.abort();
}

/** Returns the number of events of an action. */
async function countEvents(token: string, action: string): Promise<number> {
  const query = 'query ($action: String) { events(action: $action) { nodes { count } } }';
  const { data } = await graphqlBody(site.gateway.url, token, query, { action });
  return data.events.nodes.reduce((sum: number, { count }: { count: number }) => sum + count, 0);
}

/** Returns the answer of the API with an error. */
function refusal(status: number, reason: string): Fault['answer'] {
  const error = { message: `Refused: ${reason}.`, extensions: { reason } };
  return (route) => route.fulfill({ status, json: { errors: [error] } });
}
