// @module-tag needs/chromium
// @module-tag night/browser

import type { Locator, Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { TEXTS } from '../../console/app/texts.ts';
import { graphqlApi } from '../support/both-apis.ts';
import { startSite } from '../support/browser.ts';
import { seedTenant } from '../support/gateway.ts';
import { accountToken, createApp, graphqlBody, tokenStatus } from '../support/requests.ts';

/** A way in which a request fails on the network or at the gateway. */
type Fault = {
  readonly answer: (route: Route) => Promise<void>;
  /** What the person reads then. */
  readonly text: string;
};

const SMALL_PHONE = { width: 320, height: 568 };

const FAULTS: readonly Fault[] = [
  { answer: (route) => route.abort(), text: TEXTS.noResponse },
  { answer: (route) => route.fulfill({ status: 502, body: '<h1>Bad gateway</h1>' }), text: 'status 502' },
  { answer: (route) => route.fulfill({ body: '<h1>Log in</h1>' }), text: 'didn’t come from the gateway' },
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
  { screen: 'the events', operation: 'Events', path: 'events', text: 'Account created' },
])('what $screen shows is there after every failure of the request', async ({ operation, path, text }) => {
  const { token, projects, wallets } = await seedTenant(site.gateway, { wallets: 1 });
  const { name } = await createApp(api, token, { title: 'Till' });
  const page = await openWith(token);
  const names: Record<string, string | undefined> = { project: projects[0], wallet: wallets[0], app: name };
  const url = `${site.gateway.url}/console#/${path.replace(/<(\w+)>/, (_, kind) => names[kind] ?? '')}`;
  await persist(page, token, `query ${operation}`, async () => void (await page.goto(url)));
  await page.getByText(text).locator('visible=true').first().waitFor();
});

const titled = (title: string) => (dialog: Locator) => dialog.getByLabel('Title').fill(title);

const atOnce = (dialog: Locator) => dialog.getByLabel(TEXTS.oldKeyExpires).selectOption(TEXTS.immediately);

/** A change: the way to its screen, the buttons that open its form, what sends it, and is shown when it is done, and what fills the form. */
type Change = [
  action: string,
  links: string[],
  open: string | string[],
  send: string,
  done: string,
  fill?: (dialog: Locator) => Promise<unknown>,
];

const TILL = ['Tenant', 'Apps', 'Till'];

test.each<Change>([
  ['project.create', [], 'Create project', 'Create the project', 'Created “Shop”.', titled('Shop')],
  ['project.update', ['Tenant', 'Settings'], 'Edit project', 'Save', 'Saved “Shop”.', titled('Shop')],
  ['wallet.create', ['Tenant'], 'Create wallet', 'Create the wallet', 'Created “Till”.', titled('Till')],
  [
    'wallet.update',
    ['Tenant'],
    ['More of Wallet 1', 'Edit Wallet 1'],
    'Save',
    'Saved “Bills”.',
    titled('Bills'),
  ],
  ['wallet.archive', ['Tenant', 'Wallet 1'], 'Archive', 'Archive the wallet', 'Archived “Wallet 1”.'],
  [
    'project.delete',
    ['Project 2', 'Settings'],
    'Delete project',
    'Delete the project',
    'Deleted “Project 2”.',
  ],
  [
    'app.create',
    ['Tenant', 'Apps'],
    'Create app',
    'Create the app',
    'The private key of “POS”',
    titled('POS'),
  ],
  ['app.update', TILL, 'Rename', 'Save', 'Saved “POS”.', titled('POS')],
  ['app.rotate_key', TILL, TEXTS.rotateKey, TEXTS.rotateTheKey, 'The private key of “Till”', atOnce],
  ['app.deactivate', TILL, 'Deactivate', 'Deactivate the app', '“Till” is inactive.'],
  ['app.delete', TILL, 'Delete', 'Delete the app', 'Deleted “Till”.'],
  [
    'token.create',
    ['Menu', 'Tokens'],
    'Create token',
    'Create the token',
    'The token “Pipeline”',
    titled('Pipeline'),
  ],
  [
    'token.revoke',
    ['Menu', 'Tokens'],
    ['More of “Desk”', 'Revoke “Desk”'],
    TEXTS.revokeToken,
    'Revoked the token “Desk”.',
  ],
])(
  '%s is done once after every failure, with the form as it was filled',
  async (action, links, open, sending, done, fill) => {
    const tenant = await seedTenant(site.gateway, { projects: 2, wallets: 1, addresses: 9 });
    const { token } = tenant;
    await accountToken(site.gateway, tenant, { title: 'Desk' });
    await createApp(api, token, { title: 'Till' });
    const before = await countEvents(token, action);
    const page = await openWith(token);
    for (const name of links) {
      const menu = page.getByRole('button', { name, exact: true });
      await page.getByRole('link', { name }).or(menu).click();
    }
    for (const name of [open].flat()) await page.getByRole('button', { name }).click();
    await fill?.(page.getByRole('dialog'));
    const button = page.getByRole('button', { name: sending });
    await persist(page, token, 'mutation', () => button.press('Enter'));

    await page.route('**/graphql', loseAnswer);
    await button.click();
    const problem = page.getByText(TEXTS.noResponse);
    await problem.waitFor();
    const { y = 0, height = 0 } = (await problem.boundingBox()) ?? {};
    expect(y + height).toBeLessThan(SMALL_PHONE.height);
    expect(await countEvents(token, action)).toBe(before + 1);
    await page.unroute('**/graphql', loseAnswer);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText(done).waitFor();
    expect(await countEvents(token, action)).toBe(before + 1);
  },
);

test('the token is ended after a failure of the request', async () => {
  const { token } = await seedTenant(site.gateway);
  const page = await openWith(token);
  await page.getByRole('button', { name: 'Account token' }).click();
  await page.getByRole('button', { name: TEXTS.revokeToken }).click();
  await page.route('**/oauth/revoke', (route) => route.abort(), { times: 1 });
  await page.getByRole('dialog').getByRole('button', { name: TEXTS.revokeToken }).press('Enter');
  await page.getByText(TEXTS.noResponse).waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText(TEXTS.tokenRevoked).waitFor();
  expect(await tokenStatus(api, token)).toBe('TOKEN_INVALID');
});

/**
 * Lets the requests of an operation fail in every way: the first one after a while, the last one because the token is
 * refused. Then enters the token again.
 *
 * @param operation the beginning of its document
 * @param start does what sends the first request; while it has no answer, it is done a second time
 */
async function persist(page: Page, token: string, operation: string, start: () => Promise<void>) {
  const released = Promise.withResolvers<void>();
  const faults = [...FAULTS.map(({ answer }) => answer), refusal(401, 'TOKEN_INVALID')].entries();
  const ofOperation = new RegExp(`${operation}\\b`);
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
function openWith(token: string): Promise<Page> {
  return site.openConsole(token, { viewport: SMALL_PHONE, provoked: /Failed to load resource/ });
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
