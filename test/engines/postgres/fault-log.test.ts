import { expect, test } from 'vitest';
import { OUTAGE_LINES } from '../../../src/http/log/error-log.ts';
import { bothApis, postGraphql, send } from '../../support/both-apis.ts';
import { freePort } from '../../support/free-port.ts';
import { type Gateway, seedTenant, testGateway } from '../../support/gateway.ts';
import { lineOf } from '../../support/log-lines.ts';
import { readMetric } from '../../support/metrics.ts';
import { createApp, keyOf, ulidOf } from '../../support/requests.ts';
import { lockRow, lockRows } from '../../support/rows.ts';
import { logLines } from '../../support/run-command.ts';

const RENAME_TWO = `mutation ($one: UpdateWalletInput!, $two: UpdateWalletInput!) {
  one: updateWallet(input: $one) { wallet { title } }
  two: updateWallet(input: $two) { wallet { title } }
}`;

async function start() {
  const gateway = await testGateway();
  return { gateway, ...(await seedTenant(gateway, { wallets: 2 })) };
}

/** Returns the messages of the lines that are not about one request, or about the clock, which stands still in a test. */
function messages(gateway: Gateway): readonly unknown[] {
  return logLines(gateway.log())
    .filter(({ level, msg, aheadSeconds }) => level >= 40 && msg !== 'request' && aheadSeconds === undefined)
    .map(({ msg, err }) => msg ?? err);
}

test('after a lock that was not available, the rest of a request with an Idempotency-Key is UNAVAILABLE, and one line is logged', async () => {
  const { gateway, token, wallets } = await start();
  const [one, two] = wallets.map((name) => ({ name, title: 'Renamed' }));
  await gateway.database.transaction(async (transaction) => {
    await lockRow(transaction, one?.name ?? '');
    const { text } = await postGraphql(
      gateway.url,
      token,
      RENAME_TWO,
      { one, two },
      { 'idempotency-key': 'k' },
    );
    const { errors } = JSON.parse(text);
    expect(errors.map(({ extensions }: { extensions: { reason: string } }) => extensions.reason)).toEqual([
      'UNAVAILABLE',
      'UNAVAILABLE',
    ]);
  });
  expect(messages(gateway)).toEqual([OUTAGE_LINES.lock]);
});

test('the line of a request that did not get its lock names the account and the resource, and the request is counted', async () => {
  const port = await freePort();
  const gateway = await testGateway({ PAW_METRICS_PORT: String(port) });
  const { account, token, wallet } = await seedTenant(gateway, { wallets: 1 });
  const [graphql, rest] = bothApis(() => gateway.url);
  const app = keyOf(await createApp(rest, token));
  const counted = () => readMetric(port, 'paw_lock_timeouts_total');
  expect(await counted()).toEqual({ '': 0 });
  await gateway.database.transaction(async (transaction) => {
    for (const table of ['wallet', 'app'] as const) await lockRows(transaction, table, account);
    const update = (api: typeof rest) => api.updateWallet(token, wallet, { title: 'Renamed' });
    const keyed = { 'idempotency-key': 'k' };
    const requests = [
      ...[graphql, rest].flatMap((api) => [
        update(api).then(({ response }) => [response, wallet] as const),
        api.signIn(token, app).then(({ response }) => [response, app.name] as const),
      ]),
      send(`${gateway.url}/wallet/${wallet}`, 'PATCH', token, { title: 'Renamed' }, keyed).then(
        (response) => [response, wallet] as const,
      ),
    ];
    for (const [response, resource] of await Promise.all(requests)) {
      expect(await lineOf(gateway, response)).toMatchObject({
        ...{ reason: 'UNAVAILABLE', account: ulidOf(account), resource },
      });
    }
    await expect.poll(counted).toEqual({ '': requests.length });
    const measured = await readMetric(port, 'db_client_operation_duration_seconds_count');
    expect(measured).toHaveProperty(['{db_operation_name="write",error_type="lock"}']);
  });
  const [line] = logLines(gateway.log()).filter(({ outage }) => outage === 'lock');
  expect([wallet, app.name]).toContain(line?.resource);
});

test.each([
  ['a full disk is one outage', '53100', 'the database is unavailable'],
  ['statements that are cancelled are one overload', '57014', 'requests wait too long for the database'],
])('%s', async (_, code, message) => {
  const { gateway, token, wallets } = await start();
  await gateway.database.write(
    `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION USING ERRCODE = '${code}'; END $$`,
  );
  await gateway.database.write('CREATE TRIGGER fail BEFORE UPDATE ON wallet EXECUTE FUNCTION fail()');
  for (const api of bothApis(() => gateway.url)) {
    for (const wallet of wallets) {
      const { error } = await api.updateWallet(token, wallet, { title: 'Renamed' });
      expect(error?.reason).toBe('UNAVAILABLE');
      expect((await api.listProjects(token)).error).toBeUndefined();
    }
  }
  expect(messages(gateway)).toEqual([message]);
});
