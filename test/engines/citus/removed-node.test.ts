import { expect, inject, onTestFinished, test } from 'vitest';
import type { Database } from '../../../src/storage/interface/database.ts';
import { type ApiName, Changes, request } from '../../support/acknowledged-changes.ts';
import { readiness } from '../../support/both-apis.ts';
import { makeCitusDatabase } from '../../support/citus.ts';
import { onDatabase } from '../../support/engine.ts';
import { seedTenant, testGateway } from '../../support/gateway.ts';
import { ulidOf } from '../../support/requests.ts';

const APIS: readonly ApiName[] = ['REST', 'GraphQL'];

const MESSAGE = 'Citus has removed or disabled this node, or does not sync its metadata';

/** Each takes a node out of the cluster, after which shards can be moved, and brings it back. */
const WAYS: readonly (readonly [remove: string, bringBack: string])[] = [
  ['citus_remove_node($1, $2)', 'citus_add_node($1, $2)'],
  ['citus_disable_node($1, $2, synchronous => TRUE)', 'citus_activate_node($1, $2)'],
  ['stop_metadata_sync_to_node($1, $2, clear_metadata => FALSE)', 'start_metadata_sync_to_node($1, $2)'],
];

const MOVE = `SELECT citus_move_shard_placement(shardid, nodename, nodeport, $2, CAST($3 AS INTEGER), 'block_writes')
FROM citus_shards WHERE shardid = get_shard_id_for_distribution_column('account', CAST($1 AS text))`;

/** A cluster whose second worker has no shards, with a gateway on it, and one on the coordinator. */
async function clusterWithEmptyNode() {
  const made = await makeCitusDatabase(inject('citusUrl') ?? '');
  onTestFinished(made.remove);
  const { hostname, port } = new URL(made.workerUrls[1] ?? '');
  const node = [hostname, Number(port)];
  const coordinator = await testGateway({ DATABASE_URL: made.url });
  await coordinator.database.read("SELECT citus_drain_node($1, $2, 'block_writes')", node);
  await cleanUp(coordinator.database);
  // It gets the shard that is moved.
  const self = [hostname, Number(new URL(made.url).port)];
  await coordinator.database.read("SELECT citus_set_node_property($1, $2, 'shouldhaveshards', TRUE)", self);
  const onNode = await testGateway({ DATABASE_URL: made.workerUrls[1] ?? '' });
  return { made, node, self, coordinator, onNode };
}

/** Deletes the shards that were moved away, at once. */
async function cleanUp(database: Database) {
  // It can't run in a transaction, in which a write would be.
  await database.read('CALL citus_cleanup_orphaned_resources()');
}

test.each(WAYS)(
  'a node is not used after %s and the move of a shard, and it is again after %s',
  async (remove, bringBack) => {
    const { made, node, self, coordinator, onNode } = await clusterWithEmptyNode();
    const tenant = await seedTenant(coordinator, { wallets: 1 });
    const { token } = tenant;
    const changes = new Changes(token, tenant.wallets);
    const results = (url: string) =>
      Promise.all([
        ...APIS.flatMap((api) => [changes.createApp(url, api), changes.updateWallet(url, api)]),
        request(url, token, 'GET', '/project/projects').then(({ status }) => status),
      ]);
    expect(new Set(await results(onNode.url))).toEqual(new Set(['ok']));
    await coordinator.database.read(`SELECT ${remove}`, node);
    await coordinator.database.read(MOVE, [ulidOf(tenant.account), ...self]);
    await cleanUp(coordinator.database);
    const ofRemoved = await results(onNode.url);
    await expect.poll(() => readiness(onNode.url), { timeout: 20_000 }).toBe(503);
    ofRemoved.push(...(await results(onNode.url)));
    expect(new Set(ofRemoved)).toEqual(new Set(['UNAVAILABLE']));
    await expect(testGateway({ DATABASE_URL: made.workerUrls[1] ?? '' })).rejects.toMatchObject({
      cause: { message: MESSAGE },
    });
    expect(await readiness(coordinator.url)).toBe(200);
    expect(await changes.countLost(coordinator.url)).toBe(0);
    await coordinator.database.read(`SELECT ${bringBack}`, node);
    await expect.poll(() => readiness(onNode.url), { timeout: 20_000 }).toBe(200);
    expect(new Set(await results(onNode.url))).toEqual(new Set(['ok']));
  },
);

test('a node is not used if another worker knows that the coordinator could not tell it changes, and it is if only the coordinator says so', async () => {
  const { made, node } = await clusterWithEmptyNode();
  const [workerUrl = '', nodeUrl = ''] = made.workerUrls;
  const setSynced = (url: string, isSynced: boolean) =>
    onDatabase(url, (database) =>
      database.transaction(async (transaction) => {
        await transaction.write('SET LOCAL allow_system_table_mods = on');
        const sql = `UPDATE pg_dist_node SET metadatasynced = ${isSynced} WHERE nodename = $1 AND nodeport = $2`;
        await transaction.write(sql, node);
      }),
    );
  const use = () => onDatabase(nodeUrl, (database) => database.read('SELECT 1 AS one'));
  // As after each change of an address, until all workers know it.
  await setSynced(made.url, false);
  expect(await use()).toEqual([{ one: 1 }]);
  await setSynced(workerUrl, false);
  await expect(use()).rejects.toMatchObject({ cause: { message: MESSAGE } });
  await setSynced(workerUrl, true);
  expect(await use()).toEqual([{ one: 1 }]);
  // Not synchronously. Until it is synced, no shard can be moved.
  await onDatabase(made.url, (database) => database.read('SELECT citus_disable_node($1, $2)', node));
  await expect(use()).rejects.toMatchObject({ cause: { message: MESSAGE } });
});
