import { randomUUID } from 'node:crypto';
import type { Database } from '../../src/storage/database.ts';
import { migrate } from '../../src/storage/jobs/migrate.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import type { TestDatabase } from './gateway.ts';

/** A node of a cluster. The first one is the coordinator. */
type Node = { readonly host: string; readonly port: number };

/** A database on all nodes of a cluster, whose tables are distributed. */
export type CitusDatabase = TestDatabase & {
  /** The URLs of the workers. */
  readonly workerUrls: readonly string[];
};

const LIST_NODES =
  "SELECT nodename AS host, nodeport AS port FROM pg_dist_node WHERE noderole = 'primary' ORDER BY groupid";

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
  const nodes = await on(clusterUrl, (database) => database.read<Node>(LIST_NODES));
  const name = `paw_${randomUUID().replaceAll('-', '')}`;
  const urlOf = ({ host, port }: Node, database: string) => {
    const url = new URL(clusterUrl);
    Object.assign(url, { hostname: host, port, pathname: database });
    return url.href;
  };
  const urls = await Promise.all(
    nodes.map(async (node) => {
      await on(urlOf(node, 'postgres'), (server) => server.write(`CREATE DATABASE ${name}`));
      await on(urlOf(node, name), (database) => database.write('CREATE EXTENSION citus'));
      return urlOf(node, name);
    }),
  );
  const [url = '', ...workerUrls] = urls;
  await on(url, async (database) => {
    for (const [index, { host, port }] of nodes.entries()) {
      if (index === 0) await database.read('SELECT citus_set_coordinator_host($1, $2)', [host, port]);
      else if (index <= workerCount) {
        await database.read('SELECT citus_add_node($1, $2)', [host, await portFor(port)]);
      }
    }
    if (isDistributed) await migrate(database, Date.now(), SHARD_COUNT);
  });
  const drop = (node: Node) =>
    on(urlOf(node, 'postgres'), (server) => server.write(`DROP DATABASE ${name} WITH (FORCE)`));
  return {
    url,
    workerUrls,
    remove: async () => {
      for (const node of nodes) await drop(node);
    },
  };
}

async function on<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(url, { postgres: { poolSize: 1, timeoutMs: 60_000 } });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
