import { beforeAll, expect, test } from 'vitest';
import { createApp, keyOf, reasonOf, ulidOf } from '../support/actors.ts';
import { bothApis, postGraphql, send } from '../support/apis.ts';
import { onDatabase } from '../support/engine.ts';
import { type Gateway, makeDatabase, seedTenant, startGateway, type Tenant } from '../support/gateway.ts';

const REQUESTS = Number(process.env['PAW_TEST_CONFLICTS'] ?? 100);

const IN_FLIGHT = 16;

let gateway: Gateway;
let tenant: Tenant;

beforeAll(async () => {
  const { url, remove } = await makeDatabase();
  await onDatabase(url, async (database) => {
    // So that concurrent transactions lose conflicts.
    const name = new URL(url).pathname.slice(1);
    await database.write(`ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable'`);
  });
  gateway = await startGateway({ DATABASE_URL: url });
  tenant = await seedTenant(gateway, { wallets: 1 });
  return async () => {
    await gateway.stop();
    await remove();
  };
});

/** Sends all requests, 16 at the same time, and returns the number of each result. */
async function tally(request: (n: number) => Promise<string>): Promise<Readonly<Record<string, number>>> {
  const results: Record<string, number> = {};
  let n = 0;
  const send = async () => {
    while (n < REQUESTS) {
      n += 1;
      const result = await request(n);
      results[result] = (results[result] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, send));
  return results;
}

test.each(bothApis(() => gateway.url))(
  'with serializable transactions, neither concurrent updates of one wallet nor sign-ins of one app by $name fail',
  async (api) => {
    const { token, wallets } = tenant;
    const rename = (n: number) =>
      reasonOf(api.updateWallet(token, wallets[0] ?? '', { title: `Title ${n}` }));
    expect(await tally(rename)).toEqual({ ok: REQUESTS });
    const app = keyOf(await createApp(api, token));
    expect(await tally(() => reasonOf(api.signIn(token, app)))).toEqual({ ok: REQUESTS });
  },
);

test('concurrent updates of one wallet with an Idempotency-Key fail by 503 at most, and a repetition succeeds', async () => {
  const { token, account, wallets } = await seedTenant(gateway, { wallets: 1 });
  const [wallet = ''] = wallets;
  const mutation = `mutation ($input: UpdateWalletInput!) {
    updateWallet(input: $input) { wallet { title project { title } } }
  }`;
  const results = await tally(async (n) => {
    const headers = { 'idempotency-key': `update-${n}` };
    const title = `Title ${n}`;
    const update = () =>
      n % 2
        ? send(`${gateway.url}/wallet/${wallet}`, 'PATCH', token, { title }, headers)
        : postGraphql(gateway.url, token, mutation, { input: { name: wallet, title } }, headers);
    let { text } = await update();
    while (text.includes('"reason":"UNAVAILABLE"')) ({ text } = await update());
    return text.includes(`"title":"${title}"`) ? 'ok' : text;
  });
  expect(results).toEqual({ ok: REQUESTS });
  const kept = 'SELECT count(*) AS answers FROM idempotency_key WHERE account_id = $1';
  expect(await gateway.database.read(kept, [ulidOf(account)])).toEqual([{ answers: REQUESTS }]);
});
