import type { Queryable } from '../interface/database.ts';
import { TABLES } from '../tables/tables.ts';

/** The tables that have no account. Each node gets all rows of them. */
const REFERENCE_TABLES = ['schema_migration'];

const FIND_CITUS = "SELECT to_regclass('pg_catalog.pg_dist_partition') AS citus";

const IS_COORDINATOR = 'SELECT CASE WHEN citus_is_coordinator() THEN 1 ELSE 0 END AS is_coordinator';

const LIST_LOCAL_TABLES = `SELECT relname AS name FROM pg_class
LEFT JOIN pg_dist_partition ON logicalrelid = pg_class.oid
WHERE pg_table_is_visible(pg_class.oid) AND relkind = 'r' AND logicalrelid IS NULL`;

const DISTRIBUTE_ACCOUNT =
  "SELECT create_distributed_table('account', 'id', shard_count => CAST($1 AS INTEGER))";

// A table comes after the tables that it refers to. Its foreign keys connect rows of one shard.
const DISTRIBUTE = "SELECT create_distributed_table($1, 'account_id', colocate_with => 'account')";

const REPLICATE = 'SELECT create_reference_table($1)';

// Otherwise, a copy of the rows before the distribution stays on the disk of the coordinator.
const TRUNCATE = 'SELECT truncate_local_data_after_distributing_table($1)';

// Longer than a node takes that is up, and shorter than the timeout of the statement.
const LIMIT_CONNECTION_TIME = "SET LOCAL citus.node_connection_timeout = '1s'";

const LIST_NODES = `SELECT nodename || ':' || nodeport AS name,
  CASE WHEN citus_check_connection_to_node(nodename, nodeport) THEN 1 ELSE 0 END AS is_up
FROM pg_dist_node WHERE isactive AND noderole = 'primary' AND groupid <> 0`;

/** See `Engine.distribute`. */
export async function distribute(transaction: Queryable, shardCount?: number): Promise<readonly string[]> {
  if (!(await hasCitus(transaction))) {
    if (shardCount === undefined) return [];
    throw new Error('The database does not have the extension citus, which distributes tables.');
  }
  const local = await localTables(transaction);
  if (shardCount === undefined) {
    if (local.has('account')) return [];
  } else {
    const [node] = await transaction.read<{ is_coordinator: 0 | 1 }>(IS_COORDINATOR);
    if (node?.is_coordinator === 0) {
      throw new Error('The server is a worker of Citus. The tables are distributed on the coordinator.');
    }
    if (local.has('account')) await transaction.write(DISTRIBUTE_ACCOUNT, [shardCount]);
  }
  const names = TABLES.map(({ name }) => name).filter((name) => local.has(name));
  for (const name of names) if (name !== 'account') await transaction.write(DISTRIBUTE, [name]);
  const replicated = REFERENCE_TABLES.filter((name) => local.has(name));
  for (const name of replicated) await transaction.write(REPLICATE, [name]);
  for (const name of [...names, ...replicated]) await transaction.write(TRUNCATE, [name]);
  return [...names, ...replicated];
}

/** See `Engine.nodes`. */
export async function listNodes(transaction: Queryable): Promise<ReadonlyMap<string, boolean>> {
  if (!(await hasCitus(transaction))) return new Map();
  await transaction.write(LIMIT_CONNECTION_TIME);
  const rows = await transaction.read<{ name: string; is_up: 0 | 1 }>(LIST_NODES);
  return new Map(rows.map(({ name, is_up }) => [name, is_up === 1]));
}

async function hasCitus(transaction: Queryable): Promise<boolean> {
  const [row] = await transaction.read<{ citus: string | null }>(FIND_CITUS);
  return row !== undefined && row.citus !== null;
}

async function localTables(transaction: Queryable): Promise<ReadonlySet<string>> {
  const rows = await transaction.read<{ name: string }>(LIST_LOCAL_TABLES);
  return new Set(rows.map(({ name }) => name));
}
