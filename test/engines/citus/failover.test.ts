import { expect, inject, onTestFinished, test } from 'vitest';
import { Changes, request, sendAtRate } from '../../support/acknowledged-changes.ts';
import { readiness } from '../../support/both-apis.ts';
import { makeCitusDatabase, workerPortOf } from '../../support/citus.ts';
import { startStandby } from '../../support/citus-standby.ts';
import { onDatabase } from '../../support/engine.ts';
import { type Gateway, seedTenant, type Tenant, testGateway } from '../../support/gateway.ts';

const RATE = 40;
const MAX_IN_FLIGHT = 16;

const NODES: readonly [name: string, index: number][] = [
  ['the coordinator', 0],
  ['a worker', 1],
];

/** A cluster with a standby of one node, a gateway on this node, and one on the node or its standby. */
async function clusterWithStandby(index: number) {
  const made = await makeCitusDatabase(inject('citusUrl') ?? '');
  onTestFinished(made.remove);
  const [coordinatorUrl, nodeUrl = coordinatorUrl] = [made.url, ...made.workerUrls.slice(index - 1, index)];
  const standby = await startStandby(nodeUrl);
  const both = nodeUrl.replace(/:(\d+)\//, `:$1,127.0.0.1:${standby.port}/`);
  return {
    made,
    standby,
    coordinatorUrl: index === 0 ? standby.url : coordinatorUrl,
    onNode: await testGateway({ DATABASE_URL: nodeUrl, PAW_REQUEST_TIMEOUT: '5s' }),
    onBoth: await testGateway({
      DATABASE_URL: `${both}?target_session_attrs=read-write`,
      PAW_REQUEST_TIMEOUT: '5s',
    }),
  };
}

/** Returns a tenant whose rows are on a worker. */
async function tenantOf(gateway: Gateway, workerUrl = ''): Promise<Tenant> {
  for (;;) {
    const tenant = await seedTenant(gateway, { wallets: 8 });
    const port = await workerPortOf(gateway.database, tenant.account);
    if (String(port) === new URL(workerUrl).port) return tenant;
  }
}

/** Waits until the responses of a second have come, with one status if it is given. */
async function receive(statuses: readonly string[] = [], wanted?: string): Promise<void> {
  const received = () => statuses.filter((status) => status === (wanted ?? status)).length;
  const before = received();
  await expect.poll(received, { timeout: 60_000 }).toBeGreaterThanOrEqual(before + RATE / 2);
}

test.each(NODES)(
  '%s that is lost, replaced by its standby and started again gets no request, and no change is lost',
  async (_, index) => {
    const { made, standby, coordinatorUrl, onNode, onBoth } = await clusterWithStandby(index);
    const { token, wallets } = await tenantOf(onNode, made.workerUrls[0]);
    const changes = new Changes(token, wallets);
    let isReplaced = false;
    const [ofNode, ofReplaced, ofBoth]: string[][] = [[], [], []];
    const end = new AbortController();
    const load = sendAtRate(RATE, MAX_IN_FLIGHT, end.signal, async (n) => {
      const statuses = n % 2 === 0 ? ofBoth : isReplaced ? ofReplaced : ofNode;
      const { url } = n % 2 === 0 ? onBoth : onNode;
      const api = n % 3 === 0 ? 'REST' : 'GraphQL';
      statuses?.push(await (n % 4 < 2 ? changes.createApp(url, api) : changes.updateWallet(url, api)));
    });
    await Promise.all([receive(ofNode, 'ok'), receive(ofBoth, 'ok')]);
    await standby.killNode();
    isReplaced = true;
    await standby.replaceNode(coordinatorUrl, made.workerUrls);
    await receive(ofBoth, 'ok');
    await standby.startNode();
    await receive(ofReplaced);
    expect(await Promise.all([onNode, onBoth].map(({ url }) => readiness(url)))).toEqual([503, 200]);
    // Other causes were logged before.
    const cause = `Citus has replaced this node by 127.0.0.1:${standby.port}`;
    await expect.poll(() => onNode.log().includes(cause)).toBe(true);
    const read = await request(onNode.url, token, 'GET', '/project/projects');
    end.abort();
    await load;
    expect(new Set([...(ofReplaced ?? []), read.status])).toEqual(new Set(['UNAVAILABLE']));
    expect(await changes.countLost(onBoth.url)).toBe(0);
  },
);

test('once a connection finds that its node was replaced, those that are open are not used any more', async () => {
  const { made, standby, coordinatorUrl, onNode } = await clusterWithStandby(1);
  const { token, wallet } = await seedTenant(onNode, { wallets: 1 });
  const update = async () =>
    (await request(onNode.url, token, 'PATCH', `/wallet/${wallet}`, { title: 'Cash' })).status;
  expect(await update()).toBe('ok');
  await standby.replaceNode(coordinatorUrl, made.workerUrls);
  expect(await update()).toBe('ok');
  // The next connection asks the other nodes.
  await standby.checkpointNode();
  await expect.poll(async () => Promise.all(Array.from({ length: 8 }, update))).toContain('UNAVAILABLE');
  expect(await update()).toBe('UNAVAILABLE');
});

test('a promoted standby that does not know yet that it is in the place of the node is used', async () => {
  const { standby, coordinatorUrl } = await clusterWithStandby(1);
  await standby.replaceNode(coordinatorUrl);
  await standby.forgetAddress();
  expect(await onDatabase(standby.url, (database) => database.read('SELECT 1 AS one'))).toEqual([{ one: 1 }]);
});
