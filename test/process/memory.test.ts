import { expect, test } from 'vitest';
import { openDatabase } from '../../src/storage/open-database.ts';
import { type HttpResponse, postGraphql, send } from '../support/apis.ts';
import { adminContext, makeDatabase, migrateDatabase, seedTenant, type Tenant } from '../support/gateway.ts';
import { startServerProcess } from '../support/paw.ts';

// Node gives a process in a container of 512 MB this heap.
const HEAP = '--max-old-space-size=256';

const CONNECTIONS = 300;

const aliases = (count: number, selection: string) =>
  Array.from({ length: count }, (_, n) => `a${n}: ${selection}`).join(' ');

const NODES = `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Wallet { ${aliases(24, 'description')} } } }`;

const LISTS = `{ ${Array.from({ length: 30 }, (_, n) => `a${n}: projects(first: ${100 - n}) { nodes { id } }`).join(' ')} }`;

const KEPT = `mutation ($name: ResourceName!) { updateWallet(input: { name: $name, title: "New" }) {
  wallet { project { wallets(first: 32) { nodes { ${aliases(24, 'description')} } } } }
} }`;

type Send = (tenant: Tenant, n: number) => Promise<HttpResponse>;

test.each<readonly [string, (url: string) => Send]>([
  [
    'a compiled query',
    (url) =>
      ({ token, wallets }) =>
        postGraphql(url, token, NODES, { ids: wallets }),
  ],
  [
    'documents that differ',
    (url) =>
      ({ token, wallets }, n) =>
        postGraphql(url, token, `${NODES} # ${n}`, { ids: wallets }),
  ],
  [
    'results of mutations',
    (url) =>
      ({ token, wallets }, n) =>
        postGraphql(
          url,
          token,
          `mutation ($name: ResourceName!) { updateWallet(input: { name: $name, title: "New" }) {
            wallet { project { wallets(first: 100) { nodes { ${aliases(24, 'description')} } } } }
          } }`,
          { name: wallets[n % 100] },
        ),
  ],
  [
    'kept responses',
    (url) =>
      ({ token, wallets }) =>
        postGraphql(url, token, KEPT, { name: wallets[0] }, { 'idempotency-key': 'one' }),
  ],
  [
    'pages by REST',
    (url) =>
      ({ token }) =>
        send(`${url}/project/projects?pageSize=100`, 'GET', token),
  ],
  [
    'long texts that are not selected',
    (url) =>
      ({ token }) =>
        postGraphql(url, token, LISTS),
  ],
  [
    'bodies of empty objects',
    (url) =>
      ({ token }) =>
        send(`${url}/graphql`, 'POST', token, {
          query: '{ projects(first: 1) { nodes { id } } }',
          extensions: { list: new Array(33_000).fill({}) },
        }),
  ],
])(
  'a process with a small heap survives 300 concurrent requests of three accounts with %s',
  async (_, make) => {
    const { url: DATABASE_URL, remove } = await makeDatabase();
    await migrateDatabase(DATABASE_URL);
    const database = await openDatabase(DATABASE_URL);
    const tenants: Tenant[] = [];
    for (let n = 0; n < 3; n += 1) {
      tenants.push(await seedTenant({ admin: adminContext(database) }, { projects: 100, wallets: 100 }));
    }
    for (const table of ['wallet', 'project']) {
      await database.write(`UPDATE ${table} SET description = $1`, ['x'.repeat(2000)]);
    }
    await database.close();
    const { url, stop } = await startServerProcess({ DATABASE_URL, NODE_OPTIONS: HEAP });
    const ask = make(url);
    // Compiles the query, or keeps the responses.
    for (let n = 0; n < 9; n += 1) await ask(tenants[n % 3] as Tenant, n);
    const statuses = await Promise.all(
      Array.from({ length: CONNECTIONS }, (_, n) =>
        ask(tenants[n % 3] as Tenant, n).then(
          ({ status }) => status,
          // A response that is received slowly can be cut off.
          () => 'closed',
        ),
      ),
    );
    expect([...new Set(statuses)].filter((status) => ![200, 429, 503, 'closed'].includes(status))).toEqual(
      [],
    );
    expect(statuses).toContain(200);
    expect((await send(`${url}/healthz`, 'GET')).status).toBe(200);
    await stop('SIGTERM');
    await remove();
  },
);
