// @module-tag night/isolation

import { describe, expect, test } from 'vitest';
import { openDatabase } from '../../../src/storage/open-database.ts';
import { LOCK_TIMEOUT_MS } from '../../../src/storage/postgres/connections/connection-turns.ts';
import { bothApis, mutationDocument, postGraphql, send } from '../../support/both-apis.ts';
import { onDatabase } from '../../support/engine.ts';
import {
  type Gateway,
  makeDatabase,
  seedTenant,
  startGateway,
  type Tenant,
  useGateway,
} from '../../support/gateway.ts';
import { LONG_TIMEOUT } from '../../support/long-deadlines.ts';
import { createApp, keyOf, reasonOf } from '../../support/requests.ts';
import { rowOf, rowsOf, setRow } from '../../support/rows.ts';
import { startBeforeAll } from '../../support/start-before-all.ts';

const REQUESTS = 100;

const IN_FLIGHT = 16;

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

describe('with serializable transactions', () => {
  let gateway: Gateway;
  let tenant: Tenant;

  startBeforeAll(async (opening) => {
    const { url, remove } = await makeDatabase();
    opening.defer(remove);
    // So that concurrent transactions lose conflicts.
    const name = new URL(url).pathname.slice(1);
    const sql = `ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable'`;
    await onDatabase(url, (database) => database.write(sql));
    gateway = await startGateway({ DATABASE_URL: url });
    opening.defer(gateway.stop);
    tenant = await seedTenant(gateway, { wallets: 1 });
  });

  test.each(bothApis(() => gateway.url))(
    'neither concurrent updates of one wallet nor sign-ins of one app by $name fail',
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
    const { token, account, wallet } = await seedTenant(gateway, { wallets: 1 });
    const mutation = mutationDocument('updateWallet', 'wallet { title project { title } }');
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
    expect(await rowsOf(gateway.database, 'idempotency_key', account)).toHaveLength(REQUESTS);
  });
});

describe('with deadlocks', () => {
  const gateway = useGateway();
  const other = useGateway({}, gateway);

  const UPDATE_BOTH = `mutation ($first: UpdateWalletInput!, $second: UpdateWalletInput!) {
    first: updateWallet(input: $first) { wallet { title } }
    second: updateWallet(input: $second) { wallet { title } }
  }`;

  test('at most one in 20 requests with a key is refused that change two wallets in opposite orders', async () => {
    const { token, wallets } = await seedTenant(gateway, { wallets: 2 });
    const results = await tally(async (n) => {
      const [first, second] = n % 2 ? wallets : wallets.toReversed();
      const variables = { first: { name: first, title: `${n}` }, second: { name: second, title: `${n}` } };
      const { url } = n % 3 ? gateway : other;
      const { text } = await postGraphql(url, token, UPDATE_BOTH, variables, { 'idempotency-key': `${n}` });
      return JSON.parse(text).errors === undefined ? 'ok' : 'refused';
    });
    expect(results['refused'] ?? 0).toBeLessThanOrEqual(REQUESTS / 20);
  });

  test('two transactions that wait for each other both succeed, since one is tried again', async () => {
    const { wallets } = await seedTenant(gateway, { wallets: 2 });
    const settings = { postgres: { ...LONG_TIMEOUT.postgres, lockTimeoutMs: LOCK_TIMEOUT_MS } };
    const database = await openDatabase(gateway.databaseUrl, settings);
    const hasFirst = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const change = (title: string, n: number) =>
      database.transaction(async (transaction) => {
        await setRow(transaction, wallets[n] ?? '', { title });
        hasFirst[n]?.resolve();
        await hasFirst[1 - n]?.promise;
        await setRow(transaction, wallets[1 - n] ?? '', { title });
      });
    await Promise.all([change('A', 0), change('B', 1)]).finally(() => database.close());
    const rows = await Promise.all(wallets.map((name) => rowOf(gateway.database, name)));
    expect(['A A', 'B B']).toContain(rows.map(({ title }) => title).join(' '));
  });
});
