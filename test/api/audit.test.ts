import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { AuditTrail, expectEvents, type Scene } from '../support/audit-trail.ts';
import { bothApis, graphqlApi, postGraphql } from '../support/both-apis.ts';
import { testGateway } from '../support/gateway.ts';
import { credentialParts, MISSING_WALLET, PASSWORD, reasonOf, resultOf } from '../support/requests.ts';
import { contentsOf, lockRow } from '../support/rows.ts';

const audit = new AuditTrail();
const { gateway } = audit;
const [graphql, rest] = bothApis(() => gateway.url);

// `permissions.test.ts` has an act of each operation, with each token.

describe.each([graphql, rest])('by $name', (api) => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await audit.seedScene();
  });

  test('an update of all fields of a wallet is recorded with their names', async () => {
    const { token, project, wallet } = scene;
    const texts = { title: 'All', description: '', network: 'NETWORK_POLYGON', password: PASSWORD };
    const update = () => api.updateWallet(token, wallet, { ...texts, project });
    const { result, events } = await audit.recorded(scene, update);
    const fields = ['title', 'description', 'project', 'network', 'password'];
    const act = { action: 'wallet.update', resource: wallet, fields };
    expect(events).toEqual([audit.ofClient(scene, token, result, act)]);
  });

  test('what changes nothing is not recorded', async () => {
    const { token, wallet, app } = scene;
    const { events, result } = await audit.recorded(scene, async () => [
      await reasonOf(api.updateWallet(token, wallet, {})),
      await reasonOf(api.updateWallet(token, wallet, { title: '' })),
      await reasonOf(api.createApp(token, { title: '', active: true })),
      await reasonOf(audit.mutate('updateApp', token, { name: app.name })),
    ]);
    expect([result, events]).toEqual([['ok', 'INVALID_FIELD', 'INVALID_FIELD', 'ok'], []]);
  });

  test('updates of the same fields by one credential within a minute are one event with their number', async () => {
    const { account, token, wallet } = scene;
    const { accessToken } = await audit.run(['token', 'create', '--account', account]);
    const update = (by: string, changes: object) => () => resultOf(api.updateWallet(by, wallet, changes));
    const { events } = await audit.recorded(scene, async () => {
      // The last of them sets the title to the value that it has.
      for (const title of ['One', 'Two', 'Two']) await update(token, { title })();
      await update(token, { title: 'Four', description: 'Four' })();
      await update(accessToken, { title: 'Five' })();
    });
    const act = { action: 'wallet.update', resource: wallet, fields: ['title'] };
    const [credential, other] = [token, accessToken].map((each) => credentialParts(each).id);
    expectEvents(events, [
      { ...act, credential, count: 3 },
      { ...act, fields: ['title', 'description'], credential, count: 1 },
      { ...act, credential: other, count: 1 },
    ]);
    audit.nextMinute();
    const later = await audit.recorded(scene, update(token, { title: 'Six' }));
    expect(later.events).toMatchObject([{ ...act, count: 1 }]);
  });

  test('an event has the time of its first act, and not of an equal one that was refused before', async () => {
    const { token, wallet } = scene;
    const start = gateway.clock();
    const timeAt = (second: number) => new Date(start + second * 1000).toISOString();
    const update = () => reasonOf(api.updateWallet(token, wallet, { title: 'Late' }));
    const { result, events } = await audit.recorded(scene, async () => {
      const reasons: string[] = [];
      for (const archive of ['archiveWallet', undefined, 'unarchiveWallet', undefined, undefined]) {
        reasons.push(await (archive ? reasonOf(audit.mutate(archive, token, { name: wallet })) : update()));
        gateway.clock.advance(1000);
      }
      return reasons;
    });
    expect(result).toEqual(['ok', 'WALLET_ARCHIVED', 'ok', 'ok', 'ok']);
    expect(events).toMatchObject([
      { action: 'wallet.archive', time: timeAt(0), lastTime: timeAt(0), count: 1 },
      { action: 'wallet.unarchive', time: timeAt(2), lastTime: timeAt(2), count: 1 },
      { action: 'wallet.update', time: timeAt(3), lastTime: timeAt(4), count: 2 },
    ]);
  });

  test('without its event nothing is changed', async () => {
    const { token, app, wallet } = scene;
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

test.each([
  [{ active: false }, ['app.deactivate']],
  [{ title: 'Till', active: true }, ['app.update', 'app.activate']],
])('an update of an app by %j is recorded as %j', async (changes, actions) => {
  const scene = await audit.seedScene();
  const { token, app } = scene;
  const { events } = await audit.recorded(scene, () =>
    audit.mutate('updateApp', token, { name: app.name, ...changes }),
  );
  const fields = { 'app.update': ['title'] } as Record<string, string[]>;
  const resource = app.name;
  expect(events).toMatchObject(
    actions.map((action) => ({ action, resource, fields: fields[action] ?? [], count: 1 })),
  );
});

test('events have the times of their acts, and are in the order of the first of those that they count', async () => {
  const scene = await audit.seedScene();
  const { token, app } = scene;
  gateway.clock.advance(60_000 - (gateway.clock() % 60_000));
  const start = gateway.clock();
  const timeAt = (second: number) => new Date(start + second * 1000).toISOString();
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

test('an event has the id of an act that stands, and not of one that was rolled back with its request', async () => {
  const scene = await audit.seedScene();
  const { token, wallet } = scene;
  const update = (name: string) =>
    `updateWallet(input: { name: "${name}", title: "Kept" }) { wallet { name } }`;
  const updates = async (second: string) => {
    const document = `mutation { first: ${update(wallet)} second: ${update(second)} }`;
    const { text } = await postGraphql(gateway.url, token, document, {}, { 'idempotency-key': randomUUID() });
    gateway.clock.advance(1000);
    return JSON.parse(text);
  };
  const start = gateway.clock();
  const timeAt = (second: number) => new Date(start + second * 1000).toISOString();
  const { events } = await audit.recorded(scene, async () => {
    expect(await updates(MISSING_WALLET)).toHaveProperty('errors');
    expect(await updates(wallet)).not.toHaveProperty('errors');
    expect(await updates(wallet)).not.toHaveProperty('errors');
  });
  // Equal acts of one request are not counted together until it is committed.
  expectEvents(events, [
    { action: 'wallet.update', time: timeAt(1), lastTime: timeAt(2), count: 3 },
    { action: 'wallet.update', time: timeAt(1), lastTime: timeAt(1), count: 1 },
  ]);
});

test('an act whose client has gone is recorded with its address, also without a log of requests', async () => {
  const log = { PAW_LOG_REQUESTS: 'none' };
  const silent = await testGateway({ ...log, DATABASE_URL: gateway.databaseUrl }, gateway.clock);
  const { app, ...tenant } = await audit.seedScene();
  const query = `mutation { updateApp(input: { name: "${app.name}", title: "Till" }) { app { name } } }`;
  const body = JSON.stringify({ query });
  const list = graphqlApi(() => silent.url);
  await gateway.database.transaction(async (transaction) => {
    await lockRow(transaction, app.name);
    const socket = connect(Number(new URL(silent.url).port), '127.0.0.1');
    const request =
      'POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n' +
      `Authorization: Bearer ${tenant.token}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    await new Promise((sent) => socket.write(request, sent));
    // After five requests, the update waits for the lock, and after five more, the server has noticed the reset.
    for (let times = 0; times < 5; times += 1) await resultOf(list.listProjects(tenant.token));
    socket.resetAndDestroy();
    for (let times = 0; times < 5; times += 1) await resultOf(list.listProjects(tenant.token));
  });
  const update = async () => (await audit.eventsOf(tenant)).filter(({ action }) => action === 'app.update');
  await expect.poll(update).toMatchObject([{ resource: app.name, address: '127.0.0.1' }]);
});
