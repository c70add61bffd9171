import { beforeAll, expect, test } from 'vitest';
import { AUDIT_ACTIONS } from '../../src/model/audit-event.ts';
import { graphqlApi } from '../support/both-apis.ts';
import { Follower, impatientFollower, SETTLED_MS } from '../support/follow-events.ts';
import { seedTenant, testGateway, useGateway, useTenant } from '../support/gateway.ts';
import {
  authorize,
  createApp,
  graphqlBody,
  inLowerCase,
  keyOf,
  mutate,
  resultOf,
} from '../support/requests.ts';
import { addEvents, addWallets, rowsOf } from '../support/rows.ts';
import { pawJson } from '../support/run-command.ts';

// The pages are tested with those of the other lists, in `list-pages.test.ts`.

// The clocks of the instances differ by less than a minute.
const DIFFERENCE_MS = 59_000;

const ROUNDS = 30;

const gateway = useGateway();
const api = graphqlApi(() => gateway.url);

const tenant = useTenant(gateway, { projects: 3, wallets: 2 });

beforeAll(async () => {
  await seedTenant(gateway);
  gateway.clock.advance(1000);
  const app = keyOf(await createApp(api, tenant.token));
  await api.signIn(tenant.token, { ...app, privateKey: 'wrong' });
  await api.updateWallet(tenant.token, tenant.wallet, { title: 'Till', description: '' });
  gateway.clock.advance(60_000);
  await authorize(gateway, app);
});

const EVENTS = `query (
  $action: String, $resource: ResourceName, $since: DateTime, $until: DateTime, $settled: Boolean
) {
  events(
    first: 100, action: $action, resource: $resource, since: $since, until: $until, settled: $settled
  ) {
    nodes {
      id name action resource resourceTitle credential app by token fields address requestId count time lastTime
    }
    totalCount
  }
}`;

async function read(variables = {}, token = tenant.token) {
  const { data, errors } = await graphqlBody(gateway.url, token, EVENTS, variables);
  return data?.events ?? errors[0].extensions;
}

/** Returns the events of the command, as the API has them, without the titles. */
async function listed() {
  const words = ['audit', 'list', '--account', tenant.account, '--page-size', '100'];
  const { events } = await pawJson(words, { DATABASE_URL: gateway.databaseUrl });
  const orNull = (text: string) => text || null;
  const nameOf = (id: string) => orNull(id && `tokens/${id}`);
  return events.map(({ id, actor: _, account: __, actorTitle: ___, ...event }: Record<string, string>) => ({
    ...event,
    ...{ id: `events/${id}`, name: `events/${id}` },
    ...{ credential: nameOf(event['credential'] ?? ''), token: nameOf(event['token'] ?? '') },
    app: orNull(event['app'] ?? ''),
    ...{ address: orNull(event['address'] ?? ''), requestId: orNull(event['requestId'] ?? '') },
  }));
}

const withoutTitle = ({ resourceTitle: _, ...event }: { resourceTitle: string | null }) => event;

const CREATED = ['token.create', 'wallet.create', 'wallet.create'];
const ACTIONS = [
  ...['sign_in.succeed', 'wallet.update', 'sign_in.fail', 'app.create', ...CREATED],
  ...['project.create', 'project.create', 'project.create', 'account.create'],
];

test('a client reads the same events of its account as the operator, the newest first', async () => {
  const { nodes, totalCount } = await read();
  expect(nodes.map(({ action }: { action: string }) => action)).toEqual(ACTIONS);
  expect(nodes.map(withoutTitle)).toEqual(await listed());
  expect(totalCount).toBe(ACTIONS.length);
});

test('the total count is that of the events that all filters together find, on every page', async () => {
  const times = (await read()).nodes.map(({ time }: { time: string }) => time);
  const [until, , , since] = times;
  for (const filter of [
    { since },
    { until },
    { since, until },
    { since, action: 'wallet.update' },
    { until, resource: tenant.wallet },
    { until, resource: tenant.wallet, action: 'wallet.create' },
    { until: since, since: until },
    { until: '1969-12-31T23:59:59Z' },
  ]) {
    const { nodes, totalCount } = await read(filter);
    expect(totalCount).toBe(nodes.length);
    // The list above is shorter than a page, so that nothing is counted for it.
    const page = EVENTS.replace('first: 100', 'last: 1');
    const { data } = await graphqlBody(gateway.url, tenant.token, page, filter);
    expect([filter, data.events.totalCount]).toEqual([filter, nodes.length]);
  }
  expect((await read({ since, until })).totalCount).toBe(3);
});

test('the total counts of events and of the wallets of a project end at 1,000', async () => {
  const tenant = await seedTenant(gateway);
  await addEvents(gateway.database, tenant.account, 1001);
  await addWallets(gateway.database, tenant, 1001);
  const query = '{ events { totalCount } projects { nodes { wallets { totalCount } } } }';
  const counted = { totalCount: 1000 };
  const { data } = await graphqlBody(gateway.url, tenant.token, query);
  expect(data).toEqual({ events: counted, projects: { nodes: [{ wallets: counted }] } });
});

test('an action without events has none, and null selects all', async () => {
  expect(await read({ action: 'app.delete' })).toMatchObject({ nodes: [], totalCount: 0 });
  expect((await read({ action: null, resource: null })).nodes).toHaveLength(ACTIONS.length);
});

test('events are found from a time on and before another one, also by a literal, and null selects all', async () => {
  const { nodes } = await read();
  const times: readonly string[] = nodes.map(({ time }: { time: string }) => time);
  const since = times[3] ?? '';
  const until = times[0] ?? '';
  const timesOf = async (variables: object) =>
    (await read(variables)).nodes.map(({ time }: { time: string }) => time);
  expect(new Set(times).size).toBeGreaterThan(2);
  expect(await timesOf({ since })).toEqual(times.filter((time) => time >= since));
  expect(await timesOf({ until })).toEqual(times.filter((time) => time < until));
  const between = times.filter((time) => time >= since && time < until);
  expect(await timesOf({ since: since.replace('Z', '+00:00'), until })).toEqual(between);
  expect(await timesOf({ until, resource: tenant.wallet })).not.toEqual([]);
  expect(await timesOf({ since, resource: tenant.wallet, settled: true })).toEqual([]);
  expect(await timesOf({ since: null, until: null })).toEqual(times);
  const literal = `{ events(first: 100, since: "${since}", until: "${until}") { nodes { time } } }`;
  const { data } = await graphqlBody(gateway.url, tenant.token, literal);
  expect(data.events.nodes).toEqual(between.map((time) => ({ time })));
});

test.each(['2026-02-30T00:00:00Z', '2026-01-31', 'yesterday', 1_700_000_000_000])(
  'the time %j is refused, by its name, also as a literal',
  async (time) => {
    for (const field of ['since', 'until']) {
      const refused = { reason: 'INVALID_FIELD', fieldViolations: [{ field }] };
      expect(await read({ [field]: time })).toMatchObject(refused);
      const literal = `{ events(${field}: ${JSON.stringify(time)}) { totalCount } }`;
      const { errors } = await graphqlBody(gateway.url, tenant.token, literal);
      expect(errors[0].extensions).toMatchObject({ code: 'GRAPHQL_VALIDATION_FAILED' });
      expect(errors[0].message).toContain('DateTime');
    }
  },
);

test.each(['app.created', 'WALLET_UPDATE'])('the action %s is refused with all actions', async (action) => {
  const { errors } = await graphqlBody(gateway.url, tenant.token, EVENTS, { action });
  expect(errors[0].message).toBe(`action: Must be one of ${AUDIT_ACTIONS.join(', ')}.`);
  expect(errors[0].extensions).toMatchObject({ fieldViolations: [{ field: 'action' }] });
});

test.each([
  ['resource', 'Till'],
  ['resource', 'tokens/x'],
  ['resource', `wallets/${'0'.repeat(25)}`],
])('the %s %s is refused', async (field, value) => {
  const refused = { reason: 'INVALID_FIELD', fieldViolations: [{ field }] };
  expect(await read({ [field]: value })).toMatchObject(refused);
});

test('events have the titles of their resources, and none of an account, or after the end of an app', async () => {
  const { token, account, project, wallet } = await seedTenant(gateway, { wallets: 1 });
  const { name } = await createApp(api, token);
  const titlesOf = async (resource: string) => {
    const { nodes } = await read({ resource }, token);
    return nodes.map(({ resourceTitle }: { resourceTitle: string | null }) => resourceTitle);
  };
  expect(await titlesOf(account)).toEqual([null, null]);
  expect(await titlesOf(inLowerCase(wallet))).toEqual(['Wallet 1']);
  expect(await titlesOf(project)).toEqual(['Tenant']);
  expect(await titlesOf(name)).toEqual(['App']);
  expect(await mutate(gateway.url, token, 'deleteApp', { name })).not.toHaveProperty('errors');
  expect(await titlesOf(name)).toEqual([null, null]);
});

test('the total count of settled events does not have the others', async () => {
  const { token } = await seedTenant(gateway);
  gateway.clock.advance(SETTLED_MS);
  await createApp(api, token);
  expect((await read({ settled: true }, token)).totalCount).toBe(3);
  expect((await read({ settled: true, action: 'app.create' }, token)).totalCount).toBe(0);
  expect((await read({}, token)).totalCount).toBe(4);
});

test('the program in docs/api.md gets each event of two instances once, with its final count, though their clocks differ', async () => {
  const first = await testGateway();
  const clock = Object.assign(() => first.clock() - DIFFERENCE_MS, { advance: first.clock.advance });
  const second = await testGateway({ DATABASE_URL: first.databaseUrl }, clock);
  const { account, token, wallets } = await seedTenant(first, { wallets: 2 });
  const apis = [first, second].map(({ url }) => graphqlApi(() => url));
  const key = keyOf(
    await createApp(
      graphqlApi(() => first.url),
      token,
    ),
  );
  const follower = new Follower(token);
  const impatient = impatientFollower(token);

  for (let round = 0; round < ROUNDS; round += 1) {
    const [wallet = ''] = wallets.slice(round % 2);
    const writers = apis.flatMap((each) => [
      resultOf(each.updateWallet(token, wallet, { title: `Round ${round}` })),
      resultOf(each.signIn(token, key)),
      createApp(each, token),
    ]);
    await Promise.all([...writers, follower.poll(round % 3 === 0 ? second : first)]);
    await impatient.poll(first);
    first.clock.advance(14_000);
  }
  first.clock.advance(SETTLED_MS + DIFFERENCE_MS);
  for (const each of [follower, impatient]) await each.poll(second);

  const rows = await rowsOf(first.database, 'audit_event', account);
  const events = rows.map(({ id, event_count }) => ({ id: `events/${id}`, count: event_count }));
  expect(follower.events.map(({ id, count }) => ({ id, count }))).toEqual(events);
  // Without `settled`, events are missed.
  const ids = new Set(impatient.events.map(({ id }) => id));
  expect(events.filter(({ id }) => !ids.has(id)).length).toBeGreaterThan(0);
});
