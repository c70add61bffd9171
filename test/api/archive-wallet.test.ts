import { describe, expect, test } from 'vitest';
import { bothApis } from '../support/both-apis.ts';
import { textOf } from '../support/engine.ts';
import { seedTenant, type Tenant, useGateway } from '../support/gateway.ts';
import { graphqlBody, PASSWORD, payloadOf, reasonOf, resultOf } from '../support/requests.ts';

// Which token may archive which wallet is tested with the other operations, in `permissions.test.ts`.

const gateway = useGateway();

const WALLET = 'name title address createTime updateTime archiveTime etag';

const seed = (size = {}) => seedTenant(gateway, { wallets: 1, ...size });

const call = (mutation: string, { token }: Tenant, name: string | undefined, ifMatch?: string) =>
  payloadOf(gateway.url, token, mutation, { name, ifMatch }, `wallet { ${WALLET} }`);

const archive = async (tenant: Tenant, name: string | undefined = tenant.wallet) =>
  (await call('archiveWallet', tenant, name)).wallet;

const read = async ({ token }: Tenant, query: string, variables: object = {}) =>
  (await graphqlBody(gateway.url, token, query, variables)).data;

/** Returns the events on the wallet since its creation, the newest first. */
async function changesOf(tenant: Tenant): Promise<readonly object[]> {
  const query = 'query ($of: ResourceName) { events(resource: $of) { nodes { action count } } }';
  const { events } = await read(tenant, query, { of: tenant.wallet });
  return events.nodes.filter(({ action }: { action: string }) => action !== 'wallet.create');
}

const LISTS = `query ($project: ID!, $archived: Boolean) {
  node(id: $project) { ... on Project {
    all: wallets(archived: $archived) { totalCount nodes { name } }
    last: wallets(archived: $archived, last: 1) { totalCount nodes { name } }
    titled: wallets(archived: $archived, title: "wallet") { totalCount nodes { name } }
  } }
  titled: wallets(archived: $archived, title: "wallet") { totalCount nodes { name } }
}`;

test('an archived wallet is in no list and no count without archived: true, which has the archived ones alone', async () => {
  const tenant = await seed({ wallets: 3, projects: 2 });
  const [first, second, third] = tenant.wallets;
  await archive(tenant, second);
  const listOf = (...names: unknown[]) => ({
    totalCount: names.length,
    nodes: names.map((name) => ({ name })),
  });
  for (const [archived, ...names] of [
    [undefined, first, third],
    [null, first, third],
    [false, first, third],
    [true, second],
  ]) {
    const data = await read(tenant, LISTS, { project: tenant.project, archived });
    const all = listOf(...names);
    const last = { ...all, nodes: all.nodes.slice(-1) };
    expect(data).toEqual({ node: { all, last, titled: all }, titled: all });
  }
  await call('unarchiveWallet', tenant, second);
  const { node } = await read(tenant, LISTS, { project: tenant.project });
  expect(node.all).toEqual(listOf(...tenant.wallets));
});

test('a cursor of the archived wallets is refused in the list of the others, and the other way round', async () => {
  const tenant = await seed({ wallets: 4 });
  for (const name of tenant.wallets.slice(2)) await archive(tenant, name);
  const query = `query ($project: ID!, $archived: Boolean, $after: String) { node(id: $project) { ... on Project {
    wallets(first: 1, archived: $archived, after: $after) { nodes { name } pageInfo { endCursor } } } } }`;
  const page = (archived: boolean, after: string | null = null) =>
    graphqlBody(gateway.url, tenant.token, query, { project: tenant.project, archived, after });
  for (const [archived, next] of [
    [true, tenant.wallets[3]],
    [false, tenant.wallets[1]],
  ] as const) {
    const { endCursor } = (await page(archived)).data.node.wallets.pageInfo;
    expect((await page(archived, endCursor)).data.node.wallets.nodes).toEqual([{ name: next }]);
    const [error] = (await page(!archived, endCursor)).errors;
    expect(error.extensions.fieldViolations).toMatchObject([{ field: 'after' }]);
  }
});

test('an archived wallet is found by its name and its address, with the time and another etag', async () => {
  const tenant = await seed();
  const query = `query ($id: ID!) { node(id: $id) { ... on Wallet { ${WALLET} } }
    wallets(address: "0x${'1'.padStart(40, '0')}") { totalCount nodes { ${WALLET} } } }`;
  const found = () => read(tenant, query, { id: tenant.wallet });
  const before = (await found()).node;
  expect(before.archiveTime).toBe(null);
  gateway.clock.advance(1000);
  const time = new Date(gateway.clock()).toISOString();
  const archived = await archive(tenant);
  expect(archived).toEqual({ ...before, updateTime: time, archiveTime: time, etag: archived.etag });
  expect(archived.etag).not.toBe(before.etag);
  expect(await found()).toEqual({ node: archived, wallets: { totalCount: 1, nodes: [archived] } });
  const { wallet } = await call('unarchiveWallet', tenant, tenant.wallet);
  expect(wallet).toMatchObject({ archiveTime: null, etag: expect.not.stringMatching(archived.etag) });
  expect((await found()).node).toEqual(wallet);
});

test('a wallet that has the wanted state is returned unchanged, and there is an event of each change alone', async () => {
  const tenant = await seed();
  const { wallet: name } = tenant;
  const archived = await archive(tenant);
  const before = await textOf(gateway.database);
  gateway.clock.advance(60_000);
  expect(await archive(tenant)).toEqual(archived);
  expect(await textOf(gateway.database)).toBe(before);
  const { wallet } = await call('unarchiveWallet', tenant, name);
  expect((await call('unarchiveWallet', tenant, name)).wallet).toEqual(wallet);
  expect(await changesOf(tenant)).toEqual([
    { action: 'wallet.unarchive', count: 1 },
    { action: 'wallet.archive', count: 1 },
  ]);
});

test('a wallet with another etag is neither archived nor brought back', async () => {
  const tenant = await seed();
  const { wallet: name } = tenant;
  const { etag } = await archive(tenant);
  const before = await textOf(gateway.database);
  for (const mutation of ['archiveWallet', 'unarchiveWallet']) {
    for (const ifMatch of ['unknown', `${etag.slice(0, -1)}${etag.endsWith('0') ? 1 : 0}`]) {
      expect((await call(mutation, tenant, name, ifMatch)).reason).toBe('ETAG_MISMATCH');
    }
  }
  expect(await textOf(gateway.database)).toBe(before);
  expect((await call('archiveWallet', tenant, name, etag)).wallet.etag).toBe(etag);
  expect((await call('unarchiveWallet', tenant, name, etag)).wallet.archiveTime).toBe(null);
});

test('of 10 requests at the same time that archive a wallet, one does it, and all return it', async () => {
  const tenant = await seed();
  const results = await Promise.all(Array.from({ length: 10 }, () => archive(tenant)));
  expect(new Set(results.map(({ etag }) => etag)).size).toBe(1);
  expect(await changesOf(tenant)).toEqual([{ action: 'wallet.archive', count: 1 }]);
});

test('an update while a wallet is archived and brought back is made or refused, and finds the wallet', async () => {
  const tenant = await seed();
  let isOver = false;
  const change = async () => {
    while (!isOver) {
      await archive(tenant);
      await call('unarchiveWallet', tenant, tenant.wallet);
    }
  };
  const changes = [change(), change()];
  const update = () =>
    payloadOf(
      gateway.url,
      tenant.token,
      'updateWallet',
      { name: tenant.wallet, title: 'T' },
      'wallet { title }',
    );
  const reasons = new Set<string | undefined>();
  for (let n = 0; n < 20; n += 1) {
    const updated = await Promise.all(Array.from({ length: 10 }, update));
    for (const { reason } of updated) reasons.add(reason);
  }
  isOver = true;
  await Promise.all(changes);
  expect([...reasons].toSorted()).toEqual(['WALLET_ARCHIVED', undefined]);
});

test('archived with an address is refused, because a wallet is found there in any state', async () => {
  const { token } = await seed();
  for (const archived of [true, false]) {
    const query = `{ wallets(address: "0x${'1'.padStart(40, '0')}", archived: ${archived}) { totalCount } }`;
    const [error] = (await graphqlBody(gateway.url, token, query)).errors;
    expect(error.extensions.fieldViolations).toMatchObject([{ field: 'archived' }]);
  }
});

describe.each(bothApis(() => gateway.url))('by $name', (api) => {
  test.each<[fields: { project?: number } & Record<string, unknown>]>([
    [{ title: 'New' }],
    [{ password: PASSWORD }],
    [{ network: 'NETWORK_POLYGON', description: '' }],
    [{ project: 1 }],
  ])(
    'an update of an archived wallet is refused, and changes nothing: %j',
    async ({ project: index, ...fields }) => {
      const tenant = await seed({ projects: 2 });
      const input = { ...fields, ...(index && { project: tenant.projects[index] }) };
      await archive(tenant);
      const before = await textOf(gateway.database);
      const { error, response } = await api.updateWallet(tenant.token, tenant.wallet, input);
      expect([error?.reason, response.status]).toEqual(['WALLET_ARCHIVED', api.name === 'REST' ? 409 : 200]);
      expect(await textOf(gateway.database)).toBe(before);
      // Without fields, it only reads.
      const read = await resultOf(api.updateWallet(tenant.token, tenant.wallet, {}));
      expect(read).toMatchObject({ name: tenant.wallet, title: 'Wallet 1' });
      await call('unarchiveWallet', tenant, tenant.wallet);
      expect(await reasonOf(api.updateWallet(tenant.token, tenant.wallet, input))).toBe('ok');
    },
  );
});
