import { beforeAll, describe, expect, test } from 'vitest';
import { type AppKey, createApp, keyOf, PASSWORD, reasonOf } from '../support/actors.ts';
import { type Api, bothApis, send } from '../support/apis.ts';
import { type Gateway, seedTenant, startGateway, type Tenant } from '../support/gateway.ts';

const POLL = { timeout: 30_000, interval: 10 };

const POOL_SIZE = 4;

/** The number of requests that wait for a lock, by each API and for each kind. */
const BLOCKED = 6;

const WAITING = `SELECT count(*) AS waiting FROM pg_stat_activity
  WHERE application_name = 'paw-gateway' AND datname = current_database() AND wait_event_type = 'Lock'`;

let gateway: Gateway;
let tenant: Tenant;
let app: AppKey;

const APIS = bothApis(() => gateway.url);

/** The kinds of requests. Each returns `ok`, or the reason of the error. */
const KINDS = {
  list: (api: Api) => reasonOf(api.listProjects(tenant.token)),
  create: (api: Api) => reasonOf(api.createApp(tenant.token, { title: 'App', active: true })),
  signIn: (api: Api) => reasonOf(api.signIn(tenant.token, app)),
  update: (api: Api, n: number) => reasonOf(api.updateWallet(tenant.token, wallet(), { title: `No. ${n}` })),
  // Reads the wallet first.
  setPassword: (api: Api) => reasonOf(api.updateWallet(tenant.token, wallet(), { password: PASSWORD })),
  async repeatableUpdate(_: Api, n: number) {
    const headers = { 'idempotency-key': `${Math.random()}` };
    const { status } = await send(
      `${gateway.url}/wallet/${wallet()}`,
      'PATCH',
      tenant.token,
      { title: `${n}` },
      headers,
    );
    return status === 200 ? 'ok' : status === 503 ? 'UNAVAILABLE' : `status ${status}`;
  },
} as const;

type Kind = keyof typeof KINDS;

beforeAll(async () => {
  gateway = await startGateway({ PAW_POSTGRES_POOL: `${POOL_SIZE}` });
  tenant = await seedTenant(gateway, { wallets: 1 });
  app = keyOf(await createApp(APIS[0], tenant.token));
  return () => gateway.stop();
});

function wallet(): string {
  return tenant.wallets[0] ?? expect.unreachable();
}

/** Sends one request of each kind by each API, and returns the results that differ from `ok`. */
async function failures(kinds: readonly Kind[]): Promise<readonly string[]> {
  const requests = APIS.flatMap((api) =>
    kinds.map(async (kind) => `${api.name} ${kind}: ${await KINDS[kind](api, 0)}`),
  );
  return (await Promise.all(requests)).filter((result) => !result.endsWith(': ok'));
}

const waitingCount = async () => (await gateway.database.read(WAITING))[0]?.['waiting'];

test('an update that waits is dropped when its client goes', async () => {
  const closed = () => gateway.log().split('CONNECTION_CLOSED').length - 1;
  const before = closed();
  const updates = await gateway.database.transaction(async (transaction) => {
    await transaction.write('LOCK TABLE wallet IN ACCESS EXCLUSIVE MODE');
    const first = APIS.flatMap((api) => [1, 2, 3].map((n) => KINDS.update(api, n)));
    // The connections for writes.
    await expect.poll(waitingCount, POLL).toBe(POOL_SIZE - 1);
    const goes = new AbortController();
    const last = fetch(`${gateway.url}/wallet/${wallet()}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${tenant.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ description: 'Dropped' }),
      signal: goes.signal,
    }).catch(() => 'gone');
    // So that the update has been received.
    for (const api of APIS) await KINDS.list(api);
    goes.abort();
    expect(await last).toBe('gone');
    await expect.poll(closed, POLL).toBe(before + 1);
    return first;
  });
  await Promise.all(updates);
  expect(await failures(['update'])).toEqual([]);
  expect(await gateway.database.read('SELECT description FROM wallet')).not.toEqual([
    { description: 'Dropped' },
  ]);
});

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
  [
    'SELECT id FROM app FOR UPDATE',
    ['signIn'],
    ['list', 'create', 'update', 'setPassword', 'repeatableUpdate'],
  ],
])('a lock by %s', (lock, blocked, free) => {
  test('fails the requests that need it, and no others', async () => {
    await gateway.database.transaction(async (transaction) => {
      await transaction.write(lock);
      const requests = APIS.flatMap((api) =>
        blocked.flatMap((kind) => Array.from({ length: BLOCKED }, (_, n) => KINDS[kind](api, n))),
      );
      let isOver = false;
      const results = Promise.all(requests).finally(() => {
        isOver = true;
      });
      await expect.poll(async () => (await gateway.database.read(WAITING))[0]?.['waiting'], POLL).not.toBe(0);
      do {
        expect(await failures(free)).toEqual([]);
        expect((await send(`${gateway.url}/readyz`, 'GET')).status).toBe(200);
      } while (!isOver);
      // The lock is still held.
      expect(new Set(await results)).toEqual(new Set(['UNAVAILABLE']));
    });
    // The first one ends the limit on the statements that were blocked.
    await failures(blocked);
    expect(await failures([...blocked, ...free])).toEqual([]);
  }, 30_000);
});
