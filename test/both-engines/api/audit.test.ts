import { connect } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  credentialParts,
  MISSING_APP,
  MISSING_PROJECT,
  MISSING_WALLET,
  PASSWORD,
  postSignIn,
  reasonOf,
  resultOf,
} from '../../support/actors.ts';
import { type Api, bothApis, graphqlApi, type Outcome } from '../../support/apis.ts';
import { type Act, AuditTrail, expectEvents, filled, type Scene } from '../../support/audit-trail.ts';
import { testGateway } from '../../support/gateway.ts';
import { contentsOf, lockRow } from '../../support/rows.ts';

const audit = new AuditTrail();
const { gateway } = audit;
const [graphql, rest] = bothApis(() => gateway.url);

/** An operation, and the acts that are recorded of it. */
type Recorded = readonly [
  what: string,
  ask: (api: Api, scene: Scene, token: string) => Promise<Outcome<object>>,
  acts: readonly Act[],
];

const WALLET_UPDATE = { action: 'wallet.update', resource: '$wallet' };
const APP_UPDATE = { action: 'app.update', resource: '$app', fields: ['title'] };

// `permissions.test.ts` has an act of each operation, with each token.
const BY_BOTH_APIS: readonly Recorded[] = [
  [
    'an update of all fields of a wallet, with their names,',
    (api, { projects: [project], wallets: [name = ''] }, token) => {
      const texts = { title: 'All', description: '', network: 'NETWORK_POLYGON', password: PASSWORD };
      return api.updateWallet(token, name, { ...texts, project });
    },
    [{ ...WALLET_UPDATE, fields: ['title', 'description', 'project', 'network', 'password'] }],
  ],
];

const BY_GRAPHQL: readonly Recorded[] = [
  [
    'a deactivation of an app',
    (_, { app: { name } }, token) => audit.mutate('updateApp', token, { name, active: false }),
    [{ action: 'app.deactivate', resource: '$app' }],
  ],
  [
    'an update of the title of an app with its activation',
    (_, { app: { name } }, token) => audit.mutate('updateApp', token, { name, title: 'Till', active: true }),
    [APP_UPDATE, { action: 'app.activate', resource: '$app' }],
  ],
];

describe.each([
  { api: graphql, operations: [...BY_BOTH_APIS, ...BY_GRAPHQL] },
  { api: rest, operations: BY_BOTH_APIS },
])('by $api.name', ({ api, operations }) => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await audit.seedScene();
  });

  test.each(operations)('%s is recorded', async (_, ask, acts) => {
    const { result, events } = await audit.recorded(scene, () => ask(api, scene, scene.token));
    const expected = filled(acts, scene, { ...result.value });
    expect(events).toEqual(expected.map((act) => audit.ofClient(scene, scene.token, result, act)));
  });

  test('an act that a trusted proxy forwards is recorded with the network of the client', async () => {
    const header = { 'x-forwarded-for': '2001:db8:1:2:3::4' };
    const ask = () => postSignIn(api, gateway.url, scene.token, scene.app, header);
    const act = { action: 'sign_in.succeed', address: '2001:db8:1:2::/64' };
    expect((await audit.recorded(scene, ask)).events).toMatchObject([act]);
  });

  test('what changes nothing is not recorded', async () => {
    const { token, wallets } = scene;
    const [wallet = ''] = wallets;
    const { events, result } = await audit.recorded(scene, async () => [
      await reasonOf(api.updateWallet(token, wallet, {})),
      await reasonOf(api.listProjects(token)),
      await reasonOf(api.updateWallet(token, MISSING_WALLET, { title: 'None' })),
      await reasonOf(api.updateWallet(token, wallet, { title: '' })),
      await reasonOf(api.updateWallet(token, wallet, { project: MISSING_PROJECT })),
      await reasonOf(api.createApp(token, { title: '', active: true })),
      await reasonOf(audit.mutate('updateApp', token, { name: scene.app.name })),
      await reasonOf(audit.mutate('rotateAppKey', token, { name: MISSING_APP })),
    ]);
    const refused = ['RESOURCE_NOT_FOUND', 'INVALID_FIELD', 'INVALID_FIELD', 'INVALID_FIELD'];
    expect(result).toEqual(['ok', 'ok', ...refused, 'ok', 'RESOURCE_NOT_FOUND']);
    expect(events).toEqual([]);
  });

  test('updates of the same fields by one credential within a minute are one event with their number', async () => {
    const { account, token, wallets } = scene;
    const [wallet = ''] = wallets;
    const { accessToken } = await audit.run(['token', 'create', '--account', account]);
    const update = (by: string, changes: object) => () => resultOf(api.updateWallet(by, wallet, changes));
    const { events } = await audit.recorded(scene, async () => {
      for (const title of ['One', 'Two', 'Three']) await update(token, { title })();
      await update(token, { title: 'Four', description: 'Four' })();
      await update(accessToken, { title: 'Five' })();
    });
    const act = { ...filled(WALLET_UPDATE, scene), fields: ['title'] };
    const [credential, other] = [token, accessToken].map((each) => credentialParts(each).serial);
    expectEvents(events, [
      { ...act, credential, count: 3 },
      { ...act, fields: ['title', 'description'], credential, count: 1 },
      { ...act, credential: other, count: 1 },
    ]);
    audit.nextMinute();
    const later = await audit.recorded(scene, update(token, { title: 'Six' }));
    expect(later.events).toMatchObject([{ ...act, count: 1 }]);
  });

  test('without its event nothing is changed', async () => {
    const { token, app, wallets } = scene;
    const [wallet = ''] = wallets;
    const before = await contentsOf(gateway.database, gateway.clock());
    const changes = { title: 'Unrecorded' };
    await audit.withoutEvents(async () => {
      expect(await reasonOf(api.updateWallet(token, wallet, changes))).toBe('INTERNAL');
      expect(await reasonOf(api.createApp(token, { ...changes, active: true }))).toBe('INTERNAL');
      expect(await reasonOf(api.signIn(token, app))).toBe('INTERNAL');
    });
    expect(await contentsOf(gateway.database, gateway.clock())).toEqual(before);
    expect(await reasonOf(api.updateWallet(token, wallet, { title: 'Recorded' }))).toBe('ok');
  });
});

test('events have the times of their acts, and are in the order of the first of those that they count', async () => {
  const scene = await audit.seedScene();
  const { token, app } = scene;
  gateway.clock.advance(60_000 - (gateway.clock() % 60_000));
  const timeAt = (second: number) => new Date(start + second * 1000).toISOString();
  const start = gateway.clock();
  const { events } = await audit.recorded(scene, async () => {
    for (const changes of [{ active: false }, { title: 'One' }, { active: true }, { title: 'Two' }]) {
      await audit.mutate('updateApp', token, { name: app.name, ...changes });
      gateway.clock.advance(10_000);
    }
  });
  expect(events).toMatchObject([
    { action: 'app.deactivate', time: timeAt(0), lastTime: timeAt(0), count: 1 },
    { action: 'app.update', time: timeAt(10), lastTime: timeAt(30), count: 2 },
    { action: 'app.activate', time: timeAt(20), lastTime: timeAt(20), count: 1 },
  ]);
});

test('an act whose client has gone is recorded with its address, also without a log of requests', async () => {
  const log = { PAW_LOG_REQUESTS: 'none' };
  const silent = await testGateway({ ...log, DATABASE_URL: gateway.databaseUrl }, gateway.clock);
  const { app, ...tenant } = await audit.seedScene();
  const held = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const holder = gateway.database.transaction(async (transaction) => {
    await lockRow(transaction, app.name);
    locked.resolve();
    await held.promise;
  });
  await locked.promise;
  const query = `mutation { updateApp(input: { name: "${app.name}", title: "Till" }) { app { name } } }`;
  const body = JSON.stringify({ query });
  const socket = connect(Number(new URL(silent.url).port), '127.0.0.1');
  socket.write(
    'POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n' +
      `Authorization: Bearer ${tenant.token}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  // Meanwhile, the update has begun to wait for the lock.
  const list = graphqlApi(() => silent.url);
  const listFiveTimes = async () => {
    for (let times = 0; times < 5; times += 1) await resultOf(list.listProjects(tenant.token));
  };
  await listFiveTimes();
  socket.resetAndDestroy();
  // Meanwhile, the server has noticed the reset.
  await listFiveTimes();
  held.resolve();
  await holder;
  const update = async () => (await audit.eventsOf(tenant)).filter(({ action }) => action === 'app.update');
  const expected = [{ resource: app.name, address: '127.0.0.1' }];
  await expect.poll(update).toMatchObject(expected);
});
