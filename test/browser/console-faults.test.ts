import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { createAccountToken } from '../../src/data/create-account-token.ts';
import { tokenStatus } from '../support/actors.ts';
import { graphqlApi } from '../support/apis.ts';
import { goTo, startSite } from '../support/browser.ts';
import { seedTenant } from '../support/gateway.ts';

/** A way in which a request fails on the network or at the gateway. */
type Fault = {
  readonly answer: (route: Route) => Promise<void>;
  /** What the person reads then. */
  readonly text: string;
  /** Whether the console sends the request again at the time that the answer names. */
  readonly isRepeated?: true;
};

const RETRY_AFTER = { 'retry-after': '60' };

const FAULTS: readonly Fault[] = [
  { answer: (route) => route.abort(), text: 'The gateway did not answer.' },
  { answer: (route) => route.fulfill({ status: 502, body: '<h1>Bad gateway</h1>' }), text: 'status 502' },
  { answer: (route) => route.fulfill({ body: '<h1>Log in</h1>' }), text: 'not one of the gateway' },
  { answer: refusal(429, 'RATE_LIMITED', RETRY_AFTER), text: 'Tries again at', isRepeated: true },
  { answer: refusal(503, 'OVERLOADED', RETRY_AFTER), text: 'Tries again at', isRepeated: true },
  { answer: refusal(503, 'RESULT_UNKNOWN'), text: 'RESULT_UNKNOWN' },
];

const site = startSite();
const api = graphqlApi(() => site.gateway.url);

test.each([{ screen: 'the tokens', operation: 'Tokens', path: '#/tokens', text: 'This token' }])(
  '$screen are shown after every failure of their request',
  async ({ operation, path, text }) => {
    const { token } = await seedTenant(site.gateway, { projects: 2 });
    const page = await openWith(token);
    await page.goto(`${site.gateway.url}/console#/elsewhere`);
    await persist(page, token, operation, async () => {
      await page.goto(`${site.gateway.url}/console${path}`);
    });
    await page.getByText(text).waitFor();
  },
);

test('a revocation is done once, after every failure of its request', async () => {
  const { account, token } = await seedTenant(site.gateway);
  const other = await createAccountToken(site.gateway.admin, { account, title: 'Dashboard' }, 86_400);
  const page = await openWith(token);
  await page.getByRole('link', { name: 'Tokens' }).click();
  await page.getByRole('button', { name: 'Revoke “Dashboard”' }).click();
  const button = page.getByRole('button', { name: 'Revoke the token' });
  await persist(page, token, 'RevokeToken', () => button.click());
  await button.click();
  await page.getByText('The token “Dashboard” has ended.').waitFor();
  expect(await tokenStatus(api, other.accessToken)).toBe('TOKEN_INVALID');
});

/**
 * Lets the requests of an operation fail in every way, the last one because the token is refused. Enters the token again.
 *
 * @param start does what sends the first request
 */
async function persist(
  page: Page,
  token: string,
  operation: string,
  start: () => Promise<void>,
): Promise<void> {
  const left = [...FAULTS.map(({ answer }) => answer), refusal(401, 'TOKEN_INVALID')];
  await page.route('**/graphql', (route) => {
    const isOfOperation = route.request().postData()?.includes(` ${operation}`);
    return (isOfOperation ? left.shift() : undefined)?.(route) ?? route.continue();
  });
  await start();
  for (const { text, isRepeated } of FAULTS) {
    await page.getByRole('alert').getByText(text).waitFor();
    if (isRepeated) await page.clock.fastForward(61_000);
    else await page.getByRole('button', { name: 'Try again' }).click();
  }
  const dialog = page.getByRole('dialog', { name: 'Enter a token to continue' });
  await dialog.getByLabel('Token', { exact: true }).fill(token);
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
}

/** Opens the console with a token and a clock that can be advanced. */
async function openWith(token: string): Promise<Page> {
  const page = await site.newPage({ provoked: /Failed to load resource/ });
  await page.clock.install();
  await goTo(page, `${site.gateway.url}/console#token=${token}`);
  await page.getByRole('link', { name: 'Tenant' }).waitFor();
  return page;
}

/** Returns the answer of the API with an error. */
function refusal(status: number, reason: string, headers = {}): Fault['answer'] {
  const error = { message: `Refused: ${reason}.`, extensions: { reason } };
  return (route) => route.fulfill({ status, headers, json: { errors: [error] } });
}
