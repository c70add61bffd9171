/**
 * Runs two gateways on two PostgreSQL nodes under Patroni and etcd, which `deploy/ha/cluster.sh` starts, and sends 200
 * changes per second through both APIs. The primary is killed, comes back as a standby, and becomes the primary again
 * as planned. Afterwards every acknowledged change is read. Then it is killed again, while the requests and responses of
 * concurrent clients are recorded. Prints a report, and fails if an acknowledged change was lost, if the first change
 * through an instance succeeds later than 2 s after a promotion, or if the recorded history is not linearizable.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { Changes, sendAtRate } from '../../test/support/acknowledged-changes.ts';
import { NO_RATE_LIMITS } from '../../test/support/no-rate-limits.ts';
import { RecordedHistory } from '../../test/support/recorded-history.ts';
import { makeBenchData } from '../bench/data.ts';

/** A gateway in a separate process. */
type Instance = {
  readonly url: string;
  /** Ends it by a signal, and returns its exit status; null after SIGKILL. */
  end(signal: NodeJS.Signals): Promise<number | null>;
};

/** A change that succeeded. */
type Success = { readonly timeMs: number; readonly instance: number; readonly api: string };

const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url));

const CLUSTER = fileURLToPath(new URL('../../deploy/ha/cluster.sh', import.meta.url));

// The ports of cluster.sh.
const PORT = Number(process.env['HA_PORT'] ?? 25_400);
const patroniUrl = (node: number) => `http://127.0.0.1:${PORT + 1 + node}`;
const postgresPort = (node: number) => PORT + 3 + node;

const RATE = 200;
const QUIET_MS = 4000;
const DEADLINE_MS = 60_000;
// Fewer than one instance admits from one account.
const MAX_IN_FLIGHT = 120;
const MAX_RECOVERY_MS = 2000;

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'paw-ha-'));
// The servers run as another user.
chmodSync(folder, 0o755);
const cluster = (command: string, ...words: readonly string[]) =>
  run(CLUSTER, [command, folder, ...words], { env: { ...process.env, HA_PORT: String(PORT) } });

const responses = new Map<string, number>();
const successes: Success[] = [];
const problems: string[] = [];
const lines: string[] = [];

let isCreated = false;
const instances: Instance[] = [];
try {
  await cluster('start');
  isCreated = true;
  await until('node 2 is a synchronous standby', () => hasRole(2, 'sync_standby'));
  const primary = await connect(1, 'postgres');
  await primary.query("CREATE ROLE paw LOGIN PASSWORD 'paw-gateway'");
  await primary.query('CREATE DATABASE paw OWNER paw');
  await primary.end();
  const hosts = [1, 2].map((node) => `127.0.0.1:${postgresPort(node)}`).join();
  const databaseUrl = `postgres://paw:paw-gateway@${hosts}/paw?target_session_attrs=read-write`;
  const { account } = await makeBenchData(databaseUrl, 100);
  const { tokens, wallets } = account;
  const [token = ''] = tokens;
  await test(databaseUrl, new Changes(token, wallets));
  await checkHistory(new RecordedHistory(token, wallets.slice(0, 3), () => instances.map(({ url }) => url)));
} catch (error) {
  problems.push(String(error));
} finally {
  for (const { end } of instances) {
    if ((await end('SIGTERM')) !== 0) problems.push('an instance did not end with status 0');
  }
  if (isCreated) await cluster('stop');
  if (problems.length > 0) {
    for (const name of ['etcd', 'node1', 'node2'])
      console.log(readFileSync(join(folder, `${name}.log`), 'utf8').slice(-5000));
  }
  rmSync(folder, { recursive: true, force: true });
}
console.log(lines.join('\n'));
for (const problem of problems) console.log(`FAILED: ${problem}`);
process.exitCode = problems.length > 0 ? 1 : 0;

async function test(databaseUrl: string, changes: Changes): Promise<void> {
  for (let n = 0; n < 2; n += 1) instances.push(await startInstance(databaseUrl));

  const isOver = new AbortController();
  // In turn by each API, to each instance, and of each kind.
  const load = sendAtRate(RATE, MAX_IN_FLIGHT, isOver.signal, async (n) => {
    const api = n % 2 === 0 ? 'GraphQL' : 'REST';
    const instance = Math.floor(n / 2) % 2;
    const { url = '' } = instances[instance] ?? {};
    const status = n % 8 < 4 ? await changes.updateWallet(url, api) : await changes.createApp(url, api);
    responses.set(status, (responses.get(status) ?? 0) + 1);
    if (status === 'ok') successes.push({ timeMs: performance.now(), instance, api });
  });
  await delay(QUIET_MS);

  await measure('primary killed', 2, () => cluster('kill-node', '1'));
  await delay(QUIET_MS);

  await cluster('start-node', '1');
  await until('node 1 is a synchronous standby', () => hasRole(1, 'sync_standby'));
  await delay(QUIET_MS);
  checkThatAllSucceed('with the old primary as a standby');

  await measure('planned switchover', 1, () => cluster('switchover'));
  await until('node 2 is a synchronous standby', () => hasRole(2, 'sync_standby'));
  await delay(QUIET_MS);
  checkThatAllSucceed('after the switchover');

  isOver.abort();
  const sent = await load;
  const lost = await countLost(changes);
  if (lost > 0) problems.push(`${lost} acknowledged changes were lost`);
  for (const status of responses.keys()) {
    if (!/^(ok|UNAVAILABLE|RESULT_UNKNOWN)$/.test(status)) problems.push(`unexpected response: ${status}`);
  }
  lines.push(
    `sent: ${sent} changes, ${[...responses].map(([status, count]) => `${status}: ${count}`).join(', ')}`,
    `acknowledged: ${changes.apps.length} apps, ${successes.length - changes.apps.length} updates`,
    `lost: ${lost}`,
  );
}

/** Kills the primary, and checks that what clients have seen before, meanwhile and afterwards is linearizable. */
async function checkHistory(history: RecordedHistory): Promise<void> {
  const violations = await history.during(async () => {
    await history.receive({ ok: 200 });
    await cluster('kill-node', '1');
    await until('node 2 is promoted', () => hasRole(2, 'leader'));
    await history.receive({ ok: 200 });
  });
  for (const violation of violations) problems.push(`not linearizable: ${violation}`);
  const statuses = Object.entries(history.statuses).map(([status, count]) => `${status}: ${count}`);
  lines.push(`linearizable: ${violations.length === 0}, responses ${statuses.join(', ')}`);
}

/** Returns the number of acknowledged changes that a gateway does not show, or that a node does not have. */
async function countLost(changes: Changes): Promise<number> {
  let lost = 0;
  for (const { url } of instances) lost += await changes.countLost(url);
  for (const node of [1, 2]) {
    // A standby has a change on disk before it shows it.
    let missing = changes.apps.length;
    await until('the standby shows all changes', async () => {
      missing = await countMissing(node, changes.apps);
      return missing === 0;
    }).catch(() => {});
    lost += missing;
  }
  return lost;
}

/** Starts a gateway as the systemd unit does, and waits until it listens. */
async function startInstance(databaseUrl: string): Promise<Instance> {
  const child = spawn(process.execPath, ['--max-semi-space-size=16', MAIN, 'serve'], {
    env: {
      PATH: process.env['PATH'],
      MALLOC_MMAP_THRESHOLD_: '1048576',
      PORT: '0',
      NODE_ENV: 'production',
      DATABASE_URL: databaseUrl,
      PAW_LOG_REQUESTS: 'none',
      ...NO_RATE_LIMITS,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const { url } = JSON.parse(line);
    if (url === undefined) continue;
    child.stdout.resume();
    return {
      url,
      async end(signal) {
        child.kill(signal);
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
        return child.exitCode;
      },
    };
  }
  throw new Error('The gateway did not start.');
}

/** Starts a failover, and reports the time from the promotion of a node to the first success of each instance. */
async function measure(name: string, promoted: number, act: () => Promise<unknown>): Promise<void> {
  const client = await connect(promoted, 'paw');
  const before = performance.now();
  const acting = act();
  await until(`node ${promoted} is promoted`, async () => {
    const { rows } = await client.query('SELECT pg_is_in_recovery() AS standby');
    return rows[0].standby === false;
  });
  const promotion = performance.now();
  await client.end();
  await acting;
  const first = (instance: number) =>
    successes.find((each) => each.timeMs > promotion && each.instance === instance)?.timeMs;
  await until(
    'both instances have made a change',
    async () => first(0) !== undefined && first(1) !== undefined,
  );
  const recoveries = [0, 1].map((instance) => Math.round((first(instance) ?? Infinity) - promotion));
  lines.push(
    `${name}: promotion after ${Math.round(promotion - before)} ms, first success of each instance ${recoveries.join(' and ')} ms later`,
  );
  if (Math.max(...recoveries) > MAX_RECOVERY_MS) problems.push(`${name}: an instance made no change in time`);
}

/** Checks that both instances make changes by both APIs, as fast as they are sent. */
function checkThatAllSucceed(when: string): void {
  const since = performance.now() - QUIET_MS / 2;
  const recent = successes.filter(({ timeMs }) => timeMs > since);
  const working = new Set(recent.map(({ instance, api }) => `${instance} ${api}`));
  lines.push(`${when}: ${Math.round(recent.length / (QUIET_MS / 2000))} successes/s`);
  if (working.size < 4) problems.push(`${when}: an instance is stuck`);
}

/** Connects to a node as the superuser. */
async function connect(node: number, database: string): Promise<Client> {
  const client = new Client({
    host: '127.0.0.1',
    port: postgresPort(node),
    user: 'postgres',
    password: 'paw-postgres',
    database,
  });
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** Returns the number of apps that a node does not show. */
async function countMissing(node: number, apps: readonly string[]): Promise<number> {
  const client = await connect(node, 'paw');
  const { rows } = await client.query('SELECT id FROM app');
  await client.end();
  const found = new Set(rows.map(({ id }) => `apps/${id}`));
  return apps.filter((name) => !found.has(name)).length;
}

async function hasRole(node: number, role: string): Promise<boolean> {
  const response = await fetch(`${patroniUrl(node)}/cluster`).catch(() => undefined);
  if (response?.ok !== true) return false;
  const { members } = (await response.json()) as { members: { name: string; role: string; state: string }[] };
  return members.some(
    (each) => each.name === `node${node}` && each.role === role && each.state === 'running',
  );
}

async function until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`Not within ${DEADLINE_MS} ms: ${what}.`);
    await delay(20);
  }
}
