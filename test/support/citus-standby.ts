import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { executeOn, onDatabase } from './engine.ts';
import { freePort } from './free-port.ts';

/** A synchronous standby of a node of Citus, by the programs of its server. */
export type Standby = {
  readonly port: number;
  /** The URL of the database of the node, on the standby. */
  readonly url: string;
  /** Kills the node. */
  killNode(): Promise<void>;
  /**
   * Makes the standby a primary, and tells a coordinator that it is in the place of the node.
   *
   * @param workerUrls the workers to wait for until the coordinator has told them, which it tries again after five seconds
   */
  replaceNode(coordinatorUrl: string, workerUrls?: readonly string[]): Promise<void>;
  /** Starts the node again as it was, which then waits for no standby. */
  startNode(): Promise<void>;
  /** Lets the node make a checkpoint. */
  checkpointNode(): Promise<void>;
  /** Gives the replaced node the address that it had, on the promoted standby. */
  forgetAddress(): Promise<void>;
};

// Once promoted, it must not end transactions of the databases of other tests, and waits for no standby of its own.
const STANDBY_OPTIONS = '-c citus.recover_2pc_interval=-1 -c synchronous_standby_names=';

const LOCATE = `SELECT current_setting('data_directory') AS folder,
  (SELECT setting FROM pg_config WHERE name = 'BINDIR') AS programs`;

const UPDATE_NODE = `SELECT citus_update_node(nodeid, $1, CAST($2 AS INTEGER)) FROM pg_dist_node
WHERE nodename = $1 AND nodeport = CAST($3 AS INTEGER)`;

const FIND_ADDRESS = 'SELECT 1 AS one FROM pg_dist_node WHERE nodeport = CAST($1 AS INTEGER)';

const FIND_PORT = 'SELECT nodeport AS port FROM pg_dist_node JOIN pg_dist_local_group USING (groupid)';

const FORGET_ADDRESS = 'UPDATE pg_dist_node SET nodeport = CAST($1 AS INTEGER) WHERE nodeport = $2';

/** Starts a standby of a node, and ends it, with the node as it was, when the test has finished. */
export async function startStandby(nodeUrl: string): Promise<Standby> {
  const node = new URL(nodeUrl);
  const port = await freePort();
  const url = Object.assign(new URL(node), { port }).href;
  const [located] = await onDatabase(nodeUrl, (database) =>
    database.read<{ folder: string; programs: string }>(LOCATE),
  );
  if (located === undefined) throw new Error('The node has no folder.');
  const { folder, programs } = located;
  const copy = join(tmpdir(), `paw-standby-${randomUUID()}`);
  const control = (of: string, action: string) =>
    `${programs}/pg_ctl --pgdata=${of} --log=${of}/log --wait ${action}`;
  let isRunning = true;
  await alterSystem(nodeUrl, "SET synchronous_standby_names = '*'");
  const startNode = async () => {
    if (isRunning) return;
    const file = `${folder}/postgresql.auto.conf`;
    await runOn(url, `sed -i /synchronous_standby_names/d ${file} && ${control(folder, 'start')}`);
    isRunning = true;
  };
  // In reverse order, each also if another one fails.
  onTestFinished(() => runOn(nodeUrl, `${control(copy, 'stop --mode=immediate')}; rm -r ${copy}`));
  onTestFinished(() => alterSystem(nodeUrl, 'RESET synchronous_standby_names'));
  onTestFinished(startNode);
  const from = `--host=${node.hostname} --port=${node.port} --username=${node.username}`;
  await runOn(
    nodeUrl,
    `${programs}/pg_basebackup ${from} --pgdata=${copy} --write-recovery-conf --checkpoint=fast`,
  );
  await runOn(nodeUrl, control(copy, `start -o "-p ${port} ${STANDBY_OPTIONS}"`));
  return {
    port,
    url,
    async killNode() {
      await runOn(url, control(folder, 'stop --mode=immediate'));
      isRunning = false;
    },
    async replaceNode(coordinatorUrl, workerUrls = []) {
      if (isRunning) await alterSystem(nodeUrl, 'RESET synchronous_standby_names');
      await executeOn(administrative(url), 'SELECT pg_promote()');
      await onDatabase(coordinatorUrl, (database) =>
        database.write(UPDATE_NODE, [node.hostname, port, node.port]),
      );
      for (const workerUrl of workerUrls.filter((each) => each !== nodeUrl)) {
        const find = () => onDatabase(workerUrl, (database) => database.read(FIND_ADDRESS, [port]));
        await expect.poll(find).toHaveLength(1);
      }
    },
    startNode,
    checkpointNode: () => executeOn(administrative(nodeUrl), 'CHECKPOINT'),
    forgetAddress: () =>
      onDatabase(url, async (database) => {
        // The coordinator tells it once.
        await expect.poll(() => database.read(FIND_PORT)).toEqual([{ port }]);
        await database.transaction(async (transaction) => {
          await transaction.write('SET LOCAL allow_system_table_mods = on');
          await transaction.write(FORGET_ADDRESS, [node.port, port]);
        });
      }),
  };
}

/** Runs a command as the user of a server. */
async function runOn(url: string, command: string): Promise<void> {
  await executeOn(administrative(url), `COPY (SELECT 1) TO PROGRAM '${command}'`);
}

function alterSystem(url: string, change: string): Promise<void> {
  // It can't run in a transaction, in which a write would be.
  return onDatabase(administrative(url), async (database) => {
    await database.read(`ALTER SYSTEM ${change}`);
    await database.read('SELECT pg_reload_conf()');
  });
}

/** The URL of the database of a server that is not distributed. */
function administrative(url: string): string {
  return Object.assign(new URL(url), { pathname: 'postgres' }).href;
}
