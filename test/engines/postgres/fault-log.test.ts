import { expect, test } from 'vitest';
import { bothApis, postGraphql } from '../../support/apis.ts';
import { type Gateway, seedTenant, testGateway } from '../../support/gateway.ts';
import { logLines } from '../../support/paw.ts';
import { lockRow } from '../../support/rows.ts';

const RENAME_TWO = `mutation ($one: UpdateWalletInput!, $two: UpdateWalletInput!) {
  one: updateWallet(input: $one) { wallet { title } }
  two: updateWallet(input: $two) { wallet { title } }
}`;

async function start() {
  const gateway = await testGateway();
  return { gateway, ...(await seedTenant(gateway, { wallets: 2 })) };
}

/** Returns the messages of the lines that are not about one request. */
function messages(gateway: Gateway): readonly unknown[] {
  return logLines(gateway.log())
    .filter(({ level, msg }) => level >= 40 && msg !== 'request')
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
  expect(messages(gateway)).toEqual(['a lock was not available in time']);
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
