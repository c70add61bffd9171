import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, test } from 'vitest';
import { bothApis, postGraphql, send } from '../support/apis.ts';
import { type Gateway, seedTenant, startGateway, type Tenant } from '../support/gateway.ts';

let gateway: Gateway;
let tenant: Tenant;
beforeAll(async () => {
  gateway = await startGateway();
  tenant = await seedTenant(gateway, { wallets: 1 });
  return gateway.stop;
});

describe('a document', () => {
  test('whose fragments stand for more than can be walked is refused without walking them', async () => {
    const fragments = Array.from(
      { length: 90 },
      (_, n) => `fragment F${n} on Query { ...F${n + 1} ...F${n + 1} }`,
    );
    const query = `{ ...F0 } ${fragments.join(' ')} fragment F90 on Query { __typename }`;
    const { text } = await postGraphql(gateway.url, undefined, query);
    expect(JSON.parse(text).errors[0].message).toMatch(/^A response may have at most 20000 fields/);
  });

  const aliases = (count: number, field: string) =>
    Array.from({ length: count }, (_, n) => `a${n}: ${field}`).join(' ');

  test.each([
    [
      'lists below aliases',
      `{ ${aliases(3, `projects { ${aliases(3, `nodes { ${aliases(30, 'title')} }`)} }`)} }`,
    ],
    [
      'a list of objects with aliases',
      `query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on Wallet { ${aliases(20, `project { ${aliases(10, 'title')} }`)} } } }`,
    ],
    [
      'fragments below lists',
      `{ projects { nodes { ...A } } } fragment A on Project { ${aliases(250, 'title')} }`,
    ],
  ])('whose answer could be too large by %s is refused before it is executed', async (_name, query) => {
    const { text } = await postGraphql(gateway.url, tenant.token, query);
    const { data, errors } = JSON.parse(text);
    expect(data).toBeUndefined();
    expect(errors[0].message).toMatch(/^A response may have at most 20000 fields/);
    expect(errors[0].extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
  });

  test('that asks for the largest page with all there is on it is answered', async () => {
    const all = 'id name title description imageCoverUrl imageCoverCid createTime';
    const query = `{ projects(first: 100) { totalCount nodes { ${all} } edges { cursor node { ${all} } } pageInfo { endCursor } } }`;
    const { text } = await postGraphql(gateway.url, tenant.token, query);
    expect(JSON.parse(text).errors).toBeUndefined();
  });

  test.each([undefined, 'token'])(
    'that subscribes is refused as the client’s mistake, with the token %s',
    async (token) => {
      const { text } = await postGraphql(gateway.url, token && tenant.token, 'subscription { __typename }');
      expect(JSON.parse(text).errors[0]).toMatchObject({
        message: 'The schema has no subscriptions.',
        extensions: { code: 'GRAPHQL_VALIDATION_FAILED', status: 'INVALID_ARGUMENT' },
      });
      expect(gateway.log()).not.toContain('"level":50');
    },
  );
});

describe('what is said of a variable', () => {
  test.each([
    ['is never used', 'query ($x: Int) { __typename }', {}, /never used/],
    ['is of another type', 'query ($x: ID) { node(id: $x) { id } }', {}, /expecting type "ID!"/],
  ])('that %s is true', async (_name, query, variables, message) => {
    const { text } = await postGraphql(gateway.url, tenant.token, query, variables);
    const [error] = JSON.parse(text).errors;
    expect(error.message).toMatch(message);
    expect(error.extensions).not.toHaveProperty('fieldViolations');
  });

  test.each(['input', 'i'])('names each field, though the variable is called %s', async (name) => {
    const query = `mutation ($${name}: UpdateWalletInput!) { updateWallet(input: $${name}) { clientMutationId } }`;
    const variables = { [name]: { name: tenant.wallets[0], title: 5, description: 5 } };
    const { text } = await postGraphql(gateway.url, tenant.token, query, variables);
    const { errors } = JSON.parse(text);
    expect(errors).toHaveLength(1);
    const { reason, fieldViolations } = errors[0].extensions;
    expect(reason).toBe('INVALID_FIELD');
    expect(fieldViolations.map(({ field }: { field: string }) => field)).toEqual(['title', 'description']);
  });

  test('does not repeat what stands beside it in the document', async () => {
    const query =
      'mutation ($n: ResourceName = "apps/x") { signIn(input: {name: $n, privateKey: "sup3rsecret"}) { accessToken } }';
    const { text } = await postGraphql(gateway.url, tenant.token, query, { n: null });
    expect(JSON.parse(text).errors[0].extensions.code).toBe('BAD_USER_INPUT');
    expect(text).not.toContain('sup3rsecret');
  });
});

test('a request that is not HTTP does not bring its token into the log', async () => {
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.end(
    'POST / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer paw_acct_SECRET\r\nContent-Length: 5x\r\n\r\n',
  );
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /);
  expect(gateway.log()).toContain('refused a connection');
  const bytes = JSON.stringify(Buffer.from('SECRET').toJSON().data).slice(1, -1);
  expect(gateway.log()).not.toContain('SECRET');
  expect(gateway.log()).not.toContain(bytes);
});

test.each([
  ['POST', '/auth/apps?foo=1'],
  ['POST', '/auth/accounts:signinIdentity?foo=1'],
  ['PATCH', '/wallet/wallets/01ARZ3NDEKTSV4RRFFQ69G5FAV?foo=1'],
])('%s %s is refused for a parameter that it does not take', async (method, path) => {
  const { status, text } = await send(gateway.url + path, method, tenant.token, {});
  expect(status).toBe(400);
  expect(JSON.parse(text).error.details[1].fieldViolations).toMatchObject([{ field: 'foo' }]);
});

describe('a password for a wallet that there is not', () => {
  let busy: Gateway;
  beforeAll(async () => {
    busy = await startGateway({ PAW_PASSWORD_QUEUE: '0' });
    return busy.stop;
  });

  test.each(bothApis(() => busy.url))('takes no turn in the queue, by $name', async (api) => {
    const { token } = await seedTenant(busy);
    const missing = 'wallets/01ARZ3NDEKTSV4RRFFQ69G5FAV';
    const update = () => api.updateWallet(token, missing, { password: 'p'.repeat(32) });
    const outcomes = await Promise.all(Array.from({ length: 12 }, update));
    expect(new Set(outcomes.map(({ error }) => error?.status))).toEqual(new Set(['NOT_FOUND']));
  });
});
