import { beforeAll, expect, test } from 'vitest';
import { createAccountToken } from '../../../src/data/create-account-token.ts';
import { authorize, createApp, graphqlBody, keyOf } from '../../support/actors.ts';
import { graphqlApi } from '../../support/apis.ts';
import { seedTenant, useGateway, useTenant } from '../../support/gateway.ts';
import { pawJson } from '../../support/paw.ts';

const gateway = useGateway();
const api = graphqlApi(() => gateway.url);

const tenant = useTenant(gateway, { projects: 3, wallets: 2 });

beforeAll(async () => {
  await seedTenant(gateway);
  gateway.clock.advance(1000);
  const app = keyOf(await createApp(api, tenant.token));
  await api.signIn(tenant.token, { ...app, privateKey: 'wrong' });
  await api.updateWallet(tenant.token, tenant.wallets[0] ?? '', { title: 'Till', description: '' });
  gateway.clock.advance(60_000);
  await authorize(gateway, app);
});

const EVENTS = `query ($first: Int, $after: String, $last: Int, $before: String, $action: String) {
  events(first: $first, after: $after, last: $last, before: $before, action: $action) {
    nodes { id name action resource credential token fields address requestId count time lastTime }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    totalCount
  }
}`;

async function read(variables = {}, token = tenant.token) {
  const { data, errors } = await graphqlBody(gateway.url, token, EVENTS, variables);
  return data?.events ?? errors[0].extensions;
}

/** Returns the events of the command, as the API has them. */
async function listed(...options: string[]) {
  const words = ['audit', 'list', '--account', tenant.account, '--page-size', '100', ...options];
  const { events } = await pawJson(words, { DATABASE_URL: gateway.databaseUrl });
  const orNull = (text: string) => text || null;
  const nameOf = (id: string) => orNull(id && `tokens/${id}`);
  return events.map(({ id, actor: _, account: __, ...event }: Record<string, string>) => ({
    ...event,
    ...{ id: `events/${id}`, name: `events/${id}` },
    ...{ credential: nameOf(event['credential'] ?? ''), token: nameOf(event['token'] ?? '') },
    ...{ address: orNull(event['address'] ?? ''), requestId: orNull(event['requestId'] ?? '') },
  }));
}

const CREATED = ['token.create', 'wallet.create', 'wallet.create'];
const ACTIONS = [
  ...['sign_in.succeed', 'wallet.update', 'sign_in.fail', 'app.create', ...CREATED],
  ...['project.create', 'project.create', 'project.create', 'account.create'],
];

type Event = { readonly id: string; readonly action: string };

test('a client reads the same events of its account as the operator, the newest first', async () => {
  const { nodes, totalCount } = await read({ first: 100 });
  expect(nodes.map(({ action }: Event) => action)).toEqual(ACTIONS);
  expect(nodes).toEqual(await listed());
  expect(totalCount).toBe(ACTIONS.length);
});

test('an event of a sign-in by OAuth has an address and no credential', async () => {
  const { nodes } = await read({ first: 1 });
  expect(nodes).toMatchObject([{ action: 'sign_in.succeed', credential: null, address: '127.0.0.1' }]);
  const { events } = await pawJson(['audit', 'list', '--action', 'sign_in.succeed'], {
    DATABASE_URL: gateway.databaseUrl,
  });
  expect(events).toMatchObject([{ actor: 'client', credential: '' }]);
});

test.each([undefined, 'project.create'])('the pages of the events with the action %s', async (action) => {
  const { nodes: all, totalCount } = await read({ first: 100, action });
  expect(totalCount).toBe(all.length);
  const forward: Event[] = [];
  for (let after: string | null = null, hasMore = true; hasMore; ) {
    const { nodes, pageInfo } = await read({ first: 2, after, action });
    expect(pageInfo.hasPreviousPage).toBe(after !== null);
    forward.push(...nodes);
    [after, hasMore] = [pageInfo.endCursor, pageInfo.hasNextPage];
  }
  expect(forward).toEqual(all);
  const last = await read({ last: 2, action });
  expect(last.nodes).toEqual(all.slice(-2));
  const before = await read({ last: 100, before: last.pageInfo.startCursor, action });
  expect(before.nodes).toEqual(all.slice(0, -2));
});

test('one action is selected, also one without events', async () => {
  expect((await read({ action: 'project.create' })).nodes).toEqual(
    await listed('--action', 'project.create'),
  );
  expect(await read({ action: 'app.delete' })).toMatchObject({ nodes: [], totalCount: 0 });
  expect((await read({ first: 1, action: null })).nodes).toMatchObject([{ action: ACTIONS[0] }]);
});

test.each([
  [{ action: 'app.created' }, 'action'],
  [{ first: 0 }, 'first'],
  [{ after: 'forged' }, 'after'],
])('%j is refused', async (variables, field) => {
  const { reason, fieldViolations } = await read(variables);
  expect(reason).toBe('INVALID_FIELD');
  expect(fieldViolations).toMatchObject([{ field }]);
});

test('an account token that only reads can read the events', async () => {
  const input = { account: tenant.account, readOnly: true };
  const { accessToken } = await createAccountToken(gateway.admin, input, 3600);
  expect((await read({ first: 1, action: 'token.create' }, accessToken)).totalCount).toBe(2);
});
