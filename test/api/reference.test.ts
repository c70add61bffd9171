import { describe, expect, test } from 'vitest';
import { mutationDocument, postGraphql, restApi } from '../support/both-apis.ts';
import { textOf } from '../support/engine.ts';
import { NETWORK, seedTenant, type Tenant, useGateway } from '../support/gateway.ts';
import {
  accountToken,
  graphqlBody,
  PASSWORD,
  payloadOf,
  projectToken,
  reasonOf,
} from '../support/requests.ts';
import { eventsOf, rowsOf } from '../support/rows.ts';

const gateway = useGateway();
const other = useGateway({}, gateway);

const FIELDS = { wallet: 'name title network reference etag', project: 'name title reference etag' };

type Kind = keyof typeof FIELDS;

/** Creates or updates a resource, and returns the payload, or the extensions of the error. */
function send(kind: Kind, verb: 'create' | 'update', token: string, input: object, { url } = gateway) {
  const name = `${verb}${kind === 'wallet' ? 'Wallet' : 'Project'}`;
  const selection = `${kind} { ${FIELDS[kind]} } ${verb === 'create' ? 'isNew' : ''}`;
  return payloadOf(url, token, name, input, selection);
}

const create = (kind: Kind, token: string, input: object, at = gateway) =>
  send(
    kind,
    'create',
    token,
    { title: 'Till', ...(kind === 'wallet' && { network: NETWORK }), ...input },
    at,
  );

/** Returns the names of those with a reference, or the extensions of the error. */
async function find(kind: Kind, token: string, reference: unknown, more = '') {
  const query = `query ($reference: String) { page: ${kind}s(reference: $reference${more}) { totalCount nodes { name } } }`;
  const { data, errors } = await graphqlBody(gateway.url, token, query, { reference });
  if (errors) return errors[0].extensions;
  expect(data.page.totalCount).toBe(data.page.nodes.length);
  return data.page.nodes.map(({ name }: { name: string }) => name);
}

const conflict = (field: string) => ({
  code: 'CONFLICT',
  status: 'ALREADY_EXISTS',
  reason: 'ALREADY_EXISTS',
  fieldViolations: [{ field }],
});

const seed = () => seedTenant(gateway, { projects: 2, addresses: 50 });

const addressesLeft = async ({ account }: Tenant) =>
  (await rowsOf(gateway.database, 'address', account)).length;

describe.each(['wallet', 'project'] as const)('the reference of a %s', (kind) => {
  test('is set by a creation, changed by an update with its etag, and removed by null', async () => {
    const { token } = await seed();
    const reference = 'Order.1_a:b-'.padEnd(64, '9');
    const { isNew, [kind]: created } = await create(kind, token, { reference });
    expect(isNew).toBe(true);
    expect(created.reference).toBe(reference);
    const { name } = created;
    expect(await find(kind, token, reference)).toEqual([name]);
    const update = async (fields: object) => send(kind, 'update', token, { name, ...fields });
    const { [kind]: renamed } = await update({ reference: 'till:2', ifMatch: created.etag });
    expect(renamed).toMatchObject({ name, title: 'Till', reference: 'till:2' });
    expect(renamed.etag).not.toBe(created.etag);
    expect((await update({ reference: null, ifMatch: created.etag })).reason).toBe('ETAG_MISMATCH');
    expect(await find(kind, token, reference)).toEqual([]);
    // Another field leaves it as it is.
    expect((await update({ description: 'Cash' }))[kind].reference).toBe('till:2');
    expect((await update({ reference: null }))[kind].reference).toBeNull();
    expect(await find(kind, token, 'till:2')).toEqual([]);
    const again = await create(kind, token, { reference });
    expect(again.isNew).toBe(true);
    const without = [await create(kind, token, {}), await create(kind, token, { reference: null })];
    expect(without.map((payload) => [payload.isNew, payload[kind].reference])).toEqual(
      Array(2).fill([true, null]),
    );
  });

  test.each(['', 'a b', 'x'.repeat(65), 'ä', 'a/b', 'a\n'])('is not %j', async (reference) => {
    const { token } = await seed();
    const { [kind]: named } = await create(kind, token, { reference: 'a' });
    const before = await textOf(gateway.database);
    const invalid = { reason: 'INVALID_FIELD', fieldViolations: [{ field: 'reference' }] };
    expect(await create(kind, token, { reference })).toMatchObject(invalid);
    expect(await send(kind, 'update', token, { name: named.name, reference })).toMatchObject(invalid);
    expect(await find(kind, token, reference)).toMatchObject(invalid);
    expect(await textOf(gateway.database)).toBe(before);
  });

  test('finds the one that exists in a creation, which changes nothing and is no event', async () => {
    const tenant = await seed();
    const { token } = tenant;
    const { [kind]: first } = await create(kind, token, { reference: 'a' });
    const before = await textOf(gateway.database);
    const others = { title: 'Other', description: 'Other' };
    for (const input of [{}, others, ...(kind === 'wallet' ? [{ password: PASSWORD }] : [])]) {
      const payload = await create(kind, token, { ...input, reference: 'a' }, other);
      expect(payload).toEqual({ isNew: false, [kind]: first });
    }
    expect(await textOf(gateway.database)).toBe(before);
  });

  test('is that of one resource of the kind in the account, also of updates at the same time', async () => {
    const [tenant, stranger] = [await seed(), await seed()];
    const { token } = tenant;
    const { [kind]: first } = await create(kind, token, { reference: 'a' });
    // The other kind, and another account.
    const otherKind = kind === 'wallet' ? 'project' : 'wallet';
    expect((await create(otherKind, token, { reference: 'a' })).isNew).toBe(true);
    expect((await create(kind, stranger.token, { reference: 'a' })).isNew).toBe(true);
    const names: string[] = [];
    for (let n = 0; n < 4; n += 1) names.push((await create(kind, token, {}))[kind].name);
    const before = await textOf(gateway.database);
    const update = (reference: string, name = names[0], at = gateway) =>
      send(kind, 'update', token, { name, reference }, at);
    expect(await update('a')).toMatchObject(conflict('reference'));
    expect(await textOf(gateway.database)).toBe(before);
    expect((await update('a', first.name))[kind].reference).toBe('a');
    const updates = await Promise.all(names.map((name, n) => update('b', name, [gateway, other][n % 2])));
    expect(updates.filter((payload) => payload[kind])).toHaveLength(1);
    expect(updates.filter(({ reason }) => reason === 'ALREADY_EXISTS')).toHaveLength(3);
  });

  test.each([false, true])(
    'makes one of 40 creations at the same time on two instances, with keys: %j',
    async (isKeyed) => {
      const tenant = await seed();
      const { account, token } = tenant;
      const counts = async () => [
        await addressesLeft(tenant),
        (await rowsOf(gateway.database, kind, account)).length,
        (await eventsOf(gateway.database, account)).length,
      ];
      const [left = 0, rows = 0, events = 0] = await counts();
      const document = mutationDocument(
        `create${kind === 'wallet' ? 'Wallet' : 'Project'}`,
        `${kind} { name } isNew`,
      );
      const input = { title: 'Till', reference: 'a', ...(kind === 'wallet' && { network: NETWORK }) };
      const creations = Array.from({ length: 40 }, async (_, n) => {
        const { url } = [gateway, other][n % 2] ?? gateway;
        const headers = isKeyed ? { 'idempotency-key': `key-${n}` } : {};
        const { data } = JSON.parse((await postGraphql(url, token, document, { input }, headers)).text);
        return Object.values<{ isNew: boolean; [kind: string]: unknown }>(data)[0];
      });
      const payloads = await Promise.all(creations);
      expect(payloads.filter((payload) => payload?.isNew)).toHaveLength(1);
      expect(payloads.map((payload) => payload?.[kind])).toEqual(Array(40).fill(payloads[0]?.[kind]));
      expect(await counts()).toEqual([left - (kind === 'wallet' ? 1 : 0), rows + 1, events + 1]);
    },
  );

  test('and an Idempotency-Key replay the creation, and another key finds the resource', async () => {
    const { token } = await seed();
    const document = mutationDocument(
      `create${kind === 'wallet' ? 'Wallet' : 'Project'}`,
      `${kind} { name } isNew`,
    );
    const input = { title: 'Till', reference: 'a', ...(kind === 'wallet' && { network: NETWORK }) };
    const keyed = async (key: string, fields: object = {}) => {
      const headers = { 'idempotency-key': key };
      return postGraphql(gateway.url, token, document, { input: { ...input, ...fields } }, headers);
    };
    const [first, again, found] = [await keyed('1'), await keyed('1'), await keyed('2')];
    expect(first.text).toContain('"isNew":true');
    expect(again.text).toBe(first.text);
    expect(found.text).toBe(first.text.replace('"isNew":true', '"isNew":false'));
    expect((await keyed('1', { reference: 'b' })).text).toContain('IDEMPOTENCY_KEY_REUSED');
  });
});

test('in a request with a key, a taken reference and a project in use are the only errors, and everything is undone', async () => {
  const { token, project, projects, wallets } = await seedTenant(gateway, { projects: 2, wallets: 2 });
  await send('wallet', 'update', token, { name: wallets[0], reference: 'a' });
  await send('project', 'update', token, { name: projects[0], reference: 'a' });
  const query = `mutation {
    a: updateWallet(input: { name: "${wallets[1]}", reference: "a" }) { wallet { name } }
    b: updateProject(input: { name: "${projects[1]}", reference: "a" }) { project { name } }
    c: deleteProject(input: { name: "${project}" }) { deletedProjectId }
    d: updateWallet(input: { name: "${wallets[1]}", title: "Till" }) { wallet { title } } }`;
  const { text } = await postGraphql(gateway.url, token, query, {}, { 'idempotency-key': 'k' });
  const { data, errors } = JSON.parse(text);
  expect(errors.map(({ extensions }: { extensions: { reason: string } }) => extensions.reason)).toEqual([
    'ALREADY_EXISTS',
    'ALREADY_EXISTS',
    'PROJECT_IN_USE',
  ]);
  expect(data).toBeNull();
});

test('a creation of a wallet with a reference that exists names the field that differs, and uses no address', async () => {
  const tenant = await seed();
  const { token, projects } = tenant;
  const [project, second] = projects;
  const { wallet } = await create('wallet', token, { project: second, reference: 'a' });
  const before = await textOf(gateway.database);
  const outcome = async (input: object, by = token) => create('wallet', by, { reference: 'a', ...input });
  for (const input of [{}, { project: second }])
    expect(await outcome(input)).toEqual({ isNew: false, wallet });
  for (const password of [undefined, PASSWORD]) {
    expect(await outcome({ project, password })).toMatchObject(conflict('project'));
    expect(await outcome({ network: 'NETWORK_POLYGON', password })).toMatchObject(conflict('network'));
  }
  const error = await outcome({ project });
  expect(JSON.stringify(error)).not.toContain(second?.slice(9));
  expect(await textOf(gateway.database)).toBe(before);
});

test('a creation finds its wallet when no address is left', async () => {
  const tenant = await seedTenant(gateway, { addresses: 1 });
  const { wallet } = await create('wallet', tenant.token, { reference: 'a' });
  for (const input of [{}, { password: PASSWORD }]) {
    const payload = await create('wallet', tenant.token, { ...input, reference: 'a' });
    expect(payload).toEqual({ isNew: false, wallet });
  }
  expect((await create('wallet', tenant.token, { reference: 'b' })).reason).toBe('NO_ADDRESS_LEFT');
});

test('a token without access to the wallet with a reference learns only that the account uses it', async () => {
  const tenant = await seed();
  const { token, projects } = tenant;
  const [project, second] = projects;
  for (const [reference, fields] of [
    ['a', { project: second }],
    ['b', { project: second, network: 'NETWORK_ETHEREUM_RINKEBY' }],
    ['own', { project }],
  ] as const) {
    await create('wallet', token, { reference, ...fields, ...('network' in fields && { network: NETWORK }) });
  }
  const restricted = [
    await projectToken(gateway, tenant),
    await accountToken(gateway, tenant, { onlyProject: project }),
  ];
  for (const by of restricted) {
    const { requestId: _, ...error } = await create('wallet', by, { reference: 'a' });
    expect(error).toMatchObject(conflict('reference'));
    for (const input of [{ project }, { network: 'NETWORK_POLYGON' }, { password: PASSWORD }]) {
      const { requestId: __, ...another } = await create('wallet', by, { reference: 'b', ...input });
      expect(another).toEqual(error);
    }
    // Missing and hidden are the same in a list.
    expect(await find('wallet', by, 'a')).toEqual(await find('wallet', by, 'missing'));
    expect(await find('wallet', by, 'own')).toHaveLength(1);
    const [own] = await find('wallet', by, 'own');
    expect(await send('wallet', 'update', by, { name: own, reference: 'a' })).toMatchObject(error);
    expect((await create('wallet', by, { reference: 'own' })).isNew).toBe(false);
  }
});

test.each(['wallet', 'project'] as const)('a list of %ss has one filter at a time', async (kind) => {
  const { token } = await seed();
  const invalid = { reason: 'INVALID_FIELD', fieldViolations: [{ field: 'reference' }] };
  expect(await find(kind, token, 'a', ', title: "T"')).toMatchObject(invalid);
  await create(kind, token, { reference: 'a' });
  const { data } = await graphqlBody(
    gateway.url,
    token,
    `{ page: ${kind}s(reference: "a") { edges { cursor } } }`,
  );
  const [{ cursor }] = data.page.edges;
  expect(await find(kind, token, 'b', `, after: "${cursor}"`)).toMatchObject({
    fieldViolations: [{ field: 'after' }],
  });
});

test('REST has no reference', async () => {
  const { token } = await seed();
  const { wallet } = await create('wallet', token, { reference: 'a' });
  const api = restApi(() => gateway.url);
  const updated = await api.updateWallet(token, wallet.name, { title: 'Cash' });
  expect(updated.response.text).not.toContain('reference');
  expect(await reasonOf(api.updateWallet(token, wallet.name, { reference: 'b' }))).toBe('INVALID_FIELD');
  expect(await find('wallet', token, 'a')).toEqual([wallet.name]);
});
