import { randomUUID } from 'node:crypto';
import type { Database } from '../../src/storage/interface/database.ts';
import { migrate } from '../../src/storage/jobs/run-migrations.ts';
import { executeOn, onDatabase } from './engine.ts';
import type { TestDatabase } from './gateway.ts';
import { ulidOf } from './requests.ts';

/** A node of a cluster. The first one is the coordinator. */
type Node = { readonly host: string; readonly port: number };

/** A database on all nodes of a cluster, whose tables are distributed. */
export type CitusDatabase = TestDatabase & {
  /** The URLs of the workers. */
  readonly workerUrls: readonly string[];
};

const LIST_NODES =
  "SELECT nodename AS host, nodeport AS port FROM pg_dist_node WHERE noderole = 'primary' ORDER BY groupid";

const FIND_PORT = `SELECT nodeport AS port FROM citus_shards
WHERE shardid = get_shard_id_for_distribution_column('account', CAST($1 AS text))`;

// Few, because each test has a database.
const SHARD_COUNT = 4;

/**
 * Creates a database on the nodes of a cluster.
 *
 * @param clusterUrl the URL of a database of the coordinator that knows the nodes
 * @param portFor returns the port at which the other nodes reach a worker, if it is another one
 * @param workerCount the number of workers that the coordinator knows; all by default
 * @param isDistributed whether it has the tables of the gateway, distributed
 */
export async function makeCitusDatabase(
  clusterUrl: string,
  {
    portFor = async (port: number) => port,
    workerCount = Number.POSITIVE_INFINITY,
    isDistributed = true,
  } = {},
): Promise<CitusDatabase> {
  await using opening = new AsyncDisposableStack();
  const nodes = await onDatabase(clusterUrl, (database) => database.read<Node>(LIST_NODES));
  const name = `paw_${randomUUID().replaceAll('-', '')}`;
  const urlOf = ({ host, port }: Node, database: string) => {
    const url = new URL(clusterUrl);
    Object.assign(url, { hostname: host, port, pathname: database });
    return url.href;
  };
  const urls = await Promise.all(
    nodes.map(async (node) => {
      const administer = (sql: string) => executeOn(urlOf(node, 'postgres'), sql);
      await administer(`CREATE DATABASE ${name}`);
      opening.defer(() => administer(`DROP DATABASE ${name} WITH (FORCE)`));
      await executeOn(urlOf(node, name), 'CREATE EXTENSION citus');
      return urlOf(node, name);
    }),
  );
  const [url = '', ...workerUrls] = urls;
  await onDatabase(url, async (database) => {
    for (const [index, { host, port }] of nodes.entries()) {
      if (index === 0) await database.read('SELECT citus_set_coordinator_host($1, $2)', [host, port]);
      else if (index <= workerCount) {
        await database.read('SELECT citus_add_node($1, $2)', [host, await portFor(port)]);
      }
    }
    if (isDistributed) await migrate(database, Date.now(), { shardCount: SHARD_COUNT });
  });
  const open = opening.move();
  return { url, workerUrls, remove: () => open.disposeAsync() };
}

/** Returns the port of the worker that has the rows of an account, as the other nodes know it. */
export async function workerPortOf(database: Database, account: string): Promise<number> {
  const [row] = await database.read<{ port: number }>(FIND_PORT, [ulidOf(account)]);
  return Number(row?.port);
}
