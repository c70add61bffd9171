import { beforeAll, describe, expect, test } from 'vitest';
import { createAccountToken } from '../../../src/data/create-account-token.ts';
import { authorize, createApp, graphqlBody, inLowerCase, keyOf } from '../../support/actors.ts';
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

const HISTORY = `query ($resource: ResourceName, $action: String, $first: Int, $after: String, $last: Int) {
  events(resource: $resource, action: $action, first: $first, after: $after, last: $last) {
    nodes { action resource resourceTitle }
    pageInfo { hasNextPage endCursor }
    totalCount
  }
}`;

describe('the events on one resource', () => {
  const history = async (variables: object, token = tenant.token) => {
    const { data, errors } = await graphqlBody(gateway.url, token, HISTORY, variables);
    return data?.events ?? errors[0].extensions;
  };

  test('are its history, also with one action', async () => {
    const [resource = ''] = tenant.wallets;
    const events = ['wallet.update', 'wallet.create'].map((action) => ({
      action,
      resource,
      resourceTitle: 'Till',
    }));
    expect(await history({ resource })).toMatchObject({ nodes: events, totalCount: 2 });
    expect(await history({ resource: inLowerCase(resource), action: 'wallet.create' })).toMatchObject({
      nodes: [events[1]],
      totalCount: 1,
    });
    const first = await history({ resource, first: 1 });
    expect(first).toMatchObject({ nodes: [events[0]], pageInfo: { hasNextPage: true } });
    expect(await history({ resource, first: 1, after: first.pageInfo.endCursor })).toMatchObject({
      nodes: [events[1]],
      pageInfo: { hasNextPage: false },
    });
    expect((await history({ resource, last: 1 })).nodes).toEqual([events[1]]);
  });

  test('have the titles of projects and apps, and none for an account', async () => {
    const { nodes } = await history({ first: 100 });
    const titleOf = (resource: string | undefined) =>
      nodes.find((event: { resource: string }) => event.resource === resource).resourceTitle;
    expect(titleOf(tenant.projects[1])).toBe('Project 2');
    expect(titleOf(tenant.account)).toBeNull();
    const app = nodes.find(({ resource }: { resource: string }) => resource.startsWith('apps/'));
    expect(app).toMatchObject({ resourceTitle: 'App' });
    const { nodes: ofAccount } = await history({ resource: tenant.account });
    expect(new Set(ofAccount.map(({ action }: Event) => action))).toEqual(
      new Set(['token.create', 'account.create']),
    );
  });

  test('are there after its end, without a title', async () => {
    const { token } = await seedTenant(gateway);
    const { name } = await createApp(api, token);
    const deletion = `mutation { deleteApp(input: { name: "${name}" }) { deletedAppId } }`;
    expect(await graphqlBody(gateway.url, token, deletion)).not.toHaveProperty('errors');
    expect((await history({ resource: name }, token)).nodes).toEqual(
      ['app.delete', 'app.create'].map((action) => ({ action, resource: name, resourceTitle: null })),
    );
  });

  test('of another account are not found', async () => {
    const { wallets, account } = await seedTenant(gateway, { wallets: 1 });
    for (const resource of [wallets[0], account]) {
      expect(await history({ resource })).toMatchObject({ nodes: [], totalCount: 0 });
    }
  });

  test.each(['Till', 'tokens/x', `wallets/${'0'.repeat(25)}`])('%j is refused', async (resource) => {
    expect(await history({ resource })).toMatchObject({ fieldViolations: [{ field: 'resource' }] });
  });
});
