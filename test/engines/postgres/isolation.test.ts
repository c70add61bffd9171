// @module-tag night/isolation

import { beforeAll, describe, expect, test } from 'vitest';
import { type Api, bothApis, postGraphql, readiness, send } from '../../support/both-apis.ts';
import { type Gateway, seedTenant, testGateway, useGateway, useTenant } from '../../support/gateway.ts';
import { type AppKey, createApp, keyOf, PASSWORD, reasonOf } from '../../support/requests.ts';
import { lockRow, lockRows } from '../../support/rows.ts';

const POOL_SIZE = 4;

/** The number of clients that repeat a request which waits for a lock, by each API and for each kind. */
const BLOCKED = 6;

/** The number of times that the other requests are sent meanwhile. */
const ROUNDS = 5;

// `pg_locks` is read at one moment. In `pg_stat_activity`, the next one could be seen to wait beside one that has ended.
const WAITING = `SELECT count(*) AS waiting FROM pg_locks JOIN pg_stat_activity USING (pid)
  WHERE application_name = 'paw-gateway' AND datname = current_database() AND NOT granted`;

const gateway = useGateway({ PAW_POSTGRES_POOL: `${POOL_SIZE}` });
const tenant = useTenant(gateway, { wallets: 1 });
let app: AppKey;

const APIS = bothApis(() => gateway.url);

/** The kinds of requests. Each returns `ok`, or the reason of the error. */
const KINDS = {
  list: (api: Api) => reasonOf(api.listProjects(tenant.token)),
  create: (api: Api) => reasonOf(api.createApp(tenant.token, { title: 'App', active: true })),
  signIn: (api: Api) => reasonOf(api.signIn(tenant.token, app)),
  update: (api: Api, n: number) =>
    reasonOf(api.updateWallet(tenant.token, tenant.wallet, { title: `No. ${n}` })),
  // Reads the wallet first.
  setPassword: (api: Api) => reasonOf(api.updateWallet(tenant.token, tenant.wallet, { password: PASSWORD })),
  async repeatableUpdate(_: Api, n: number) {
    const [path, headers] = [`/wallet/${tenant.wallet}`, { 'idempotency-key': `${Math.random()}` }];
    const { status } = await send(gateway.url + path, 'PATCH', tenant.token, { title: `${n}` }, headers);
    return status === 200 ? 'ok' : status === 503 ? 'UNAVAILABLE' : `status ${status}`;
  },
} as const;

type Kind = keyof typeof KINDS;

beforeAll(async () => {
  app = keyOf(await createApp(APIS[0], tenant.token));
});

/** Returns the number of connections that wait for a lock. */
async function waitsOf({ database }: Gateway): Promise<number> {
  return Number((await database.read(WAITING))[0]?.['waiting']);
}

/** Sends one request of each kind by each API, and returns the results that differ from `ok`. */
async function failures(kinds: readonly Kind[]): Promise<readonly string[]> {
  const requests = APIS.flatMap((api) =>
    kinds.map(async (kind) => `${api.name} ${kind}: ${await KINDS[kind](api, 0)}`),
  );
  return (await Promise.all(requests)).filter((result) => !result.endsWith(': ok'));
}

describe.each<[string, readonly Kind[], readonly Kind[]]>([
  [
    'LOCK TABLE wallet IN ACCESS EXCLUSIVE MODE',
    ['update', 'setPassword', 'repeatableUpdate'],
    ['list', 'create', 'signIn'],
  ],
  ['LOCK TABLE token IN EXCLUSIVE MODE', ['signIn'], ['list', 'create', 'update', 'setPassword']],
  [
    'LOCK TABLE app IN EXCLUSIVE MODE',
    ['create', 'signIn'],
    ['list', 'update', 'setPassword', 'repeatableUpdate'],
  ],
  ['SELECT FROM app FOR UPDATE', ['signIn'], ['list', 'create', 'update', 'setPassword', 'repeatableUpdate']],
])('a lock by %s', (lock, blocked, free) => {
  test('fails the requests that need it, and no others', async () => {
    await gateway.database.transaction(async (transaction) => {
      await transaction.write(lock);
      let isOver = false;
      const repeat = async (request: () => Promise<string>) => {
        do expect(await request()).toBe('UNAVAILABLE');
        while (!isOver);
      };
      const requests = Promise.all(
        APIS.flatMap((api) =>
          blocked.flatMap((kind) =>
            Array.from({ length: BLOCKED }, (_, n) => repeat(() => KINDS[kind](api, n))),
          ),
        ),
      );
      await expect.poll(() => waitsOf(gateway)).toBeGreaterThan(0);
      for (let round = 0; round < ROUNDS; round += 1) {
        expect(await failures(free)).toEqual([]);
        expect(await readiness(gateway.url)).toBe(200);
        expect(await waitsOf(gateway)).toBeLessThan(POOL_SIZE);
      }
      isOver = true;
      // The lock is still held.
      await requests;
    });
    // The first one ends the limit on the statements that were blocked.
    await failures(blocked);
    expect(await failures([...blocked, ...free])).toEqual([]);
  });
});

test.each(['', 'with an Idempotency-Key', 'in two mutations with an Idempotency-Key'])(
  'with the default pool, 30 clients that repeat an update of a locked row %s hold up no other, and use a quarter of the connections',
  async (kind) => {
    const own = await testGateway();
    const [tenant, other] = [await seedTenant(own, { wallets: 2 }), await seedTenant(own, { wallets: 8 })];
    const [locked = '', free = ''] = tenant.wallets;
    const rename = async (token: string, name: string, headers = {}) =>
      (await send(`${own.url}/wallet/${name}`, 'PATCH', token, { title: 'Renamed' }, headers)).text;
    const mutation = `updateWallet(input: { name: "${locked}", title: "Renamed" }) { wallet { name } }`;
    const request = () => {
      const headers = kind === '' ? {} : { 'idempotency-key': `${Math.random()}` };
      if (!kind.includes('mutations')) return rename(tenant.token, locked, headers);
      const document = `mutation { a: ${mutation} b: ${mutation} }`;
      return postGraphql(own.url, tenant.token, document, {}, headers).then(({ text }) => text);
    };
    await own.database.transaction(async (transaction) => {
      await lockRow(transaction, locked);
      let refusals = 0;
      let isOver = false;
      const clients = Array.from({ length: 30 }, async () => {
        while (!isOver) {
          expect(await request()).toContain('"UNAVAILABLE"');
          refusals += 1;
        }
      });
      await expect.poll(() => waitsOf(own)).toBeGreaterThan(0);
      while (refusals < 60) {
        expect(await waitsOf(own)).toBeLessThanOrEqual(2);
        const updates = other.wallets.map((name) => rename(other.token, name));
        const texts = await Promise.all([...updates, rename(tenant.token, free)]);
        for (const text of texts) expect(text).toContain('"title":"Renamed"');
      }
      isOver = true;
      await Promise.all(clients);
    });
    expect(await request()).toContain(locked);
  },
);

test('with the default pool, an account whose many rows are locked holds up no other', async () => {
  const own = await testGateway();
  const [tenant, other] = [await seedTenant(own, { wallets: 120 }), await seedTenant(own, { wallets: 8 })];
  const rename = async (token: string, name: string) =>
    (await send(`${own.url}/wallet/${name}`, 'PATCH', token, { title: 'Renamed' })).text;
  const locked = tenant.wallets.values();
  let refusals = 0;
  let isOver = false;
  const repeat = async () => {
    // No row is updated twice.
    for (const name of locked) {
      const text = await rename(tenant.token, name);
      if (isOver) return;
      expect(text).toContain('"UNAVAILABLE"');
      refusals += 1;
    }
  };
  const [clients] = await own.database.transaction(async (transaction) => {
    expect(await lockRows(transaction, 'wallet', tenant.account)).toBe(120);
    // After this it is known that rows of the account are locked.
    expect(await rename(tenant.token, locked.next().value ?? '')).toContain('"UNAVAILABLE"');
    const clients = Promise.all(Array.from({ length: 60 }, repeat));
    while (refusals < 10) {
      expect(await waitsOf(own)).toBeLessThanOrEqual(4);
      const texts = await Promise.all(other.wallets.map((name) => rename(other.token, name)));
      for (const text of texts) expect(text).toContain('"title":"Renamed"');
    }
    isOver = true;
    return [clients];
  });
  await clients;
});

test('with the default pool, failed sign-ins that are counted in one event use a quarter of the connections', async () => {
  const own = await testGateway();
  const [api] = bothApis(() => own.url);
  const { account, token } = await seedTenant(own);
  // An app of another account.
  const fail = () => reasonOf(api.signIn(token, app));
  expect(await fail()).toBe('INVALID_CREDENTIALS');
  await own.database.transaction(async (transaction) => {
    await lockRows(transaction, 'audit_event', account);
    let isOver = false;
    const failures = Promise.all(Array.from({ length: 20 }, fail)).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      expect(await waitsOf(own)).toBeLessThanOrEqual(2);
    }
    expect(new Set(await failures)).toEqual(new Set(['UNAVAILABLE']));
  });
  expect(await fail()).toBe('INVALID_CREDENTIALS');
});
