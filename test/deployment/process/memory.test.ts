import { operatorContext } from '../../../src/data/call/call.ts';
// @module-tag night/memory

import { expect, test } from 'vitest';
import { type HttpResponse, postGraphql, send } from '../../support/both-apis.ts';
import { onDatabase } from '../../support/engine.ts';
import { migrateDatabase, seedTenant, type Tenant, testDatabase } from '../../support/gateway.ts';
import { setRows } from '../../support/rows.ts';
import { startServerProcess } from '../../support/run-command.ts';

// Node gives a process in a container of 512 MB this heap.
const HEAP = '--max-old-space-size=256';

const CONNECTIONS = 300;

const aliases = (count: number, selection: string) =>
  Array.from({ length: count }, (_, n) => `a${n}: ${selection}`).join(' ');

const NODES = `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Wallet { ${aliases(24, 'description')} } } }`;

const LISTS = `{ ${Array.from({ length: 30 }, (_, n) => `a${n}: projects(first: ${100 - n}) { nodes { id } }`).join(' ')} }`;

const updateWith = (count: number) => `mutation ($name: ResourceName!) {
  updateWallet(input: { name: $name, title: "New" }) { wallet { project { wallets(first: ${count}) { nodes { ${aliases(24, 'description')} } } } } } }`;

type Send = (url: string, tenant: Tenant, n: number) => Promise<HttpResponse>;

test.each<readonly [string, Send]>([
  ['a compiled query', (url, { token, wallets }) => postGraphql(url, token, NODES, { ids: wallets })],
  [
    'documents that differ',
    (url, { token, wallets }, n) => postGraphql(url, token, `${NODES} # ${n}`, { ids: wallets }),
  ],
  [
    'results of mutations',
    (url, { token, wallets }, n) => postGraphql(url, token, updateWith(100), { name: wallets[n % 100] }),
  ],
  [
    'kept responses',
    (url, { token, wallets }) =>
      postGraphql(url, token, updateWith(32), { name: wallets[0] }, { 'idempotency-key': 'one' }),
  ],
  ['pages by REST', (url, { token }) => send(`${url}/project/projects?pageSize=100`, 'GET', token)],
  ['long texts that are not selected', (url, { token }) => postGraphql(url, token, LISTS)],
  [
    'bodies of empty objects',
    (url, { token }) =>
      send(`${url}/graphql`, 'POST', token, {
        query: '{ projects(first: 1) { nodes { id } } }',
        extensions: { list: new Array(33_000).fill({}) },
      }),
  ],
])(
  'a process with a small heap survives 300 concurrent requests of three accounts with %s',
  async (_, request) => {
    const { url: DATABASE_URL } = await testDatabase();
    await migrateDatabase(DATABASE_URL);
    const tenants = await onDatabase(DATABASE_URL, async (database) => {
      const operator = operatorContext(database);
      const seeded: Tenant[] = [];
      for (let n = 0; n < 3; n += 1)
        seeded.push(await seedTenant({ operator }, { projects: 100, wallets: 100 }));
      for (const table of ['wallet', 'project'] as const) {
        await setRows(database, table, { description: 'x'.repeat(2000) });
      }
      return seeded;
    });
    const { url, stop } = await startServerProcess({ DATABASE_URL, NODE_OPTIONS: HEAP });
    const ask = (n: number) => request(url, tenants[n % 3] as Tenant, n);
    // Compiles the query, or keeps the responses.
    for (let n = 0; n < 9; n += 1) await ask(n);
    const statuses = await Promise.all(
      Array.from({ length: CONNECTIONS }, (_, n) =>
        ask(n).then(
          ({ status }) => status,
          // A response that is received slowly can be cut off.
          () => 'closed',
        ),
      ),
    );
    const allowed = [200, 429, 503, 'closed'];
    expect(statuses.filter((status) => !allowed.includes(status))).toEqual([]);
    expect(statuses).toContain(200);
    expect((await send(`${url}/healthz`, 'GET')).status).toBe(200);
    await stop('SIGTERM');
  },
);
