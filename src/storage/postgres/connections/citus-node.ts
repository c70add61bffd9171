import type { QueryResultRow } from 'pg';

/** Thrown if the node of a connection was replaced, or the cluster does not maintain its metadata any more. */
export class OutdatedNodeError extends Error {}

// Without the extension, the table does not exist. A server that has started again, or recovered, has a new checkpoint.
const FIND_DISTRIBUTION = `SELECT pg_postmaster_start_time() || ' ' || checkpoint_lsn AS state
FROM pg_dist_partition, pg_control_checkpoint() WHERE logicalrelid = to_regclass('account') AND partmethod = 'h'`;

// Each request would ask, because each tries to connect.
const REFUSAL_MS = 1000;

// Longer than a node takes that is up.
const MAX_TIMEOUT_MS = 1000;

// The address that another node has for this one, if it is not its own; an empty one if this node was removed or disabled,
// or its metadata are not synced, so it does not learn where shards are moved to. The coordinator marks all workers as not
// synced after each `citus_update_node`, and moves no shard until they are. Other workers have this mark only of those that
// it could not reach.
//
// A node that does not respond in time, does not know itself because its metadata is being dropped, or does not have the
// last changes of the coordinator, does not count, nor does one that does not know the coordinator. A promoted standby may
// not have the changes either: it is at the new address itself.
const findSuccessor = (timeoutMs: number) => `WITH own AS MATERIALIZED (
  SELECT groupid, nodename || ' ' || nodeport AS address,
    set_config('citus.node_connection_timeout', '${timeoutMs}ms', true) AS timeout
  FROM pg_dist_local_group JOIN pg_dist_node USING (groupid) WHERE noderole = 'primary'
)
SELECT REPLACE(result, ' ', ':') AS address FROM own, run_command_on_all_nodes(format($$SELECT CASE
  WHEN NOT EXISTS (SELECT FROM pg_dist_node JOIN pg_dist_local_group USING (groupid)) THEN %L
  ELSE COALESCE((
    SELECT nodename || ' ' || nodeport FROM pg_dist_node WHERE groupid = %s AND noderole = 'primary'
      AND isactive AND hasmetadata AND (metadatasynced OR citus_is_coordinator())
  ), '') END$$, address, own.groupid))
JOIN pg_dist_node USING (nodeid) WHERE success AND metadatasynced AND result <> own.address
AND (result <> '' OR own.groupid <> 0)
AND CASE WHEN result = '' THEN TRUE ELSE NOT EXISTS (
  SELECT FROM master_run_on_worker(ARRAY[split_part(result, ' ', 1)], ARRAY[CAST(split_part(result, ' ', 2) AS INTEGER)],
    ARRAY['SELECT EXTRACT(EPOCH FROM pg_postmaster_start_time())'], FALSE) AS successor (host, port, is_up, start)
  WHERE is_up AND start = CAST(EXTRACT(EPOCH FROM pg_postmaster_start_time()) AS TEXT)
) END LIMIT 1`;

type Find = <R extends QueryResultRow>(sql: string) => Promise<readonly R[]>;

/**
 * Returns a function that returns whether the tables that a new connection sees are distributed by Citus. It throws
 * `OutdatedNodeError` if they are, and this node would still accept changes, but has old rows, because another node was put in
 * its place, or sends them to where shards were before. The other nodes are asked if the server may have started again, once
 * for all connections, and by each check.
 *
 * @param timeoutMs how long another node may take to accept a connection, in milliseconds
 */
export function distributionFinder(timeoutMs: number): (find: Find, isCheck: boolean) => Promise<boolean> {
  const sql = findSuccessor(Math.floor(Math.min(MAX_TIMEOUT_MS, timeoutMs)));
  let known: { readonly state: string; readonly successor: Promise<string | undefined> } | undefined;
  const ask = async (find: Find) => (await find<{ readonly address: string }>(sql))[0]?.address;

  return async (find, isCheck) => {
    const [distribution] = await find<{ readonly state: string }>(FIND_DISTRIBUTION);
    if (distribution === undefined) return false;
    const { state } = distribution;
    if (isCheck || known?.state !== state) {
      const asked = { state, successor: ask(find) };
      // The others do not wait for a check.
      if (isCheck) await asked.successor;
      known = asked;
      // Asked again, unless the node can be used.
      const forget = () => {
        if (known === asked) known = undefined;
      };
      asked.successor.then(
        (successor) => successor !== undefined && setTimeout(forget, REFUSAL_MS).unref(),
        forget,
      );
    }
    const successor = await known.successor;
    if (successor === undefined) return true;
    throw new OutdatedNodeError(
      successor === ''
        ? 'Citus has removed or disabled this node, or does not sync its metadata'
        : `Citus has replaced this node by ${successor}`,
    );
  };
}
