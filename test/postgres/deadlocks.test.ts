import { expect, test } from 'vitest';
import { openDatabase } from '../../src/storage/open-database.ts';
import { LOCK_TIMEOUT_MS } from '../../src/storage/postgres/lock-limits.ts';
import { postGraphql } from '../support/apis.ts';
import { seedTenant, useGateway } from '../support/gateway.ts';

const gateway = useGateway();
const other = useGateway({}, gateway);

const REQUESTS = 60;

const IN_FLIGHT = 12;

const UPDATE_BOTH = `mutation ($first: UpdateWalletInput!, $second: UpdateWalletInput!) {
  first: updateWallet(input: $first) { wallet { title } }
  second: updateWallet(input: $second) { wallet { title } }
}`;

test('at most one in 20 requests with a key is refused that change two wallets in opposite orders', async () => {
  const { token, wallets } = await seedTenant(gateway, { wallets: 2 });
  const refused: string[] = [];
  let sent = 0;
  const send = async () => {
    while (sent < REQUESTS) {
      sent += 1;
      const [first, second] = sent % 2 ? wallets : wallets.toReversed();
      const variables = {
        first: { name: first, title: `${sent}` },
        second: { name: second, title: `${sent}` },
      };
      const { url } = sent % 3 ? gateway : other;
      const { text } = await postGraphql(url, token, UPDATE_BOTH, variables, {
        'idempotency-key': `${sent}`,
      });
      if (JSON.parse(text).errors !== undefined) refused.push(text);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, send));
  expect(refused.length, refused[0]).toBeLessThanOrEqual(REQUESTS / 20);
});

test('two transactions that wait for each other both succeed, since one is tried again', async () => {
  const { wallets } = await seedTenant(gateway, { wallets: 2 });
  const settings = { postgres: { poolSize: 4, timeoutMs: 10_000, lockTimeoutMs: LOCK_TIMEOUT_MS } };
  const database = await openDatabase(gateway.databaseUrl, settings);
  const hasFirst = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const update = 'UPDATE wallet SET title = $1 WHERE id = $2';
  const ids = wallets.map((name) => name.slice('wallets/'.length));
  const change = (title: string, n: number) =>
    database.transaction(async (transaction) => {
      await transaction.write(update, [title, ids[n] ?? '']);
      hasFirst[n]?.resolve();
      await hasFirst[1 - n]?.promise;
      await transaction.write(update, [title, ids[1 - n] ?? '']);
    });
  await Promise.all([change('A', 0), change('B', 1)]).finally(() => database.close());
  const rows = await gateway.database.read('SELECT title FROM wallet WHERE id IN ($1, $2)', ids);
  expect(['A A', 'B B']).toContain(rows.map(({ title }) => title).join(' '));
});
