import { expect, test } from 'vitest';
import { TABLES } from '../../../src/storage/tables/tables.ts';
import { bothApis, postGraphql, readiness, send } from '../../support/both-apis.ts';
import { seedTenant, useGateway } from '../../support/gateway.ts';
import { documentOf, inputOf, MUTATION_NAMES } from '../../support/mutations.ts';
import { authorize, createApp, keyOf, projectTokenOf, withOtherSecret } from '../../support/requests.ts';

const gateway = useGateway();

const LISTS = `{ projects { totalCount nodes { wallets { nodes { id } } apps { nodes { id } } } }
  viewer { addressesLeft { count } } tokens { nodes { id } } events { nodes { id } } }`;

/** Returns what sends each operation, also with a key, and returns the reasons of the errors in the responses. */
async function prepare() {
  const { url } = gateway;
  const { token, projects, wallets } = await seedTenant(gateway, { projects: 2, wallets: 1, addresses: 9 });
  const [, project = ''] = projects;
  const [wallet = ''] = wallets;
  const apis = bothApis(() => url);
  const [api] = apis;
  const app = keyOf(await createApp(api, token));
  const other = await projectTokenOf(api, token, app);
  const mutations = MUTATION_NAMES.map((name) => {
    const input = inputOf(name, { app, project, wallet, token: other });
    return [documentOf(name), { input }, name === 'signOut' ? other : token] as const;
  });
  const title = { title: 'Cash' };
  const operations = [
    ...apis.flatMap((each) => [
      () => each.listProjects(token),
      () => each.updateWallet(token, wallet, title),
      () => each.createApp(token, title),
      () => each.signIn(token, app),
      () => each.signIn(token, { ...app, privateKey: withOtherSecret(app.privateKey) }),
    ]),
  ].map((operation) => async () => (await operation()).response.text);
  const sent = [
    () => postGraphql(url, token, LISTS),
    ...mutations.flatMap(([document, variables, bearer], index) => [
      () => postGraphql(url, bearer, document, variables, { 'idempotency-key': `k${index}` }),
      () => postGraphql(url, bearer, document, variables),
    ]),
    () => send(`${url}/wallet/${wallet}`, 'PATCH', token, title, { 'idempotency-key': 'k' }),
  ].map((operation) => async () => (await operation()).text);
  const oauth = async () => ((await authorize(gateway, app)).status === 500 ? '"reason":"INTERNAL"' : '');
  return async () => {
    const reasons = new Set<string>();
    for (const operation of [...operations, oauth, ...sent]) {
      for (const [, reason = ''] of (await operation()).matchAll(/"reason":"(\w+)"/g)) reasons.add(reason);
    }
    return reasons;
  };
}

test.each(TABLES)(
  'without the table $name, the gateway is not ready, and nothing is an internal error',
  async ({ name }) => {
    const sendAll = await prepare();
    await gateway.database.write(`ALTER TABLE ${name} RENAME TO away`);
    try {
      const reasons = await sendAll();
      expect([...reasons]).toContain('UNAVAILABLE');
      expect([...reasons]).not.toContain('INTERNAL');
      await expect.poll(() => readiness(gateway.url)).toBe(503);
    } finally {
      await gateway.database.write(`ALTER TABLE away RENAME TO ${name}`);
    }
    await expect.poll(() => readiness(gateway.url), { timeout: 10_000 }).toBe(200);
  },
);
