import { readdirSync, readFileSync } from 'node:fs';
import { createApp } from '../../src/data/create-app.ts';
import { createToken } from '../../src/data/more/create-token.ts';
import { asOperator } from '../../src/data/operation/call.ts';
import type { AdminContext } from '../../src/data/operation/dependencies.ts';
import { createAccount } from '../../src/data/operator/create-account.ts';
import { registerWallet } from '../../src/data/operator/register-wallet.ts';
import { idGenerator, idOf } from '../../src/model/resource-name.ts';
import { migrate } from '../../src/storage/jobs/migrate.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import type { Engine } from '../../src/storage/port/engine.ts';
import { cpuSecondsOf, startContender } from './contender.ts';
import type { BenchData } from './data.ts';
import { load, type Request } from './load.ts';
import { contextOf, dataLayerOf } from './servers/data-layer.ts';
import * as workloads from './workloads.ts';

const SHARDS = 32;

// Enough for each node to have some.
const ACCOUNTS = 16;

const PER_ACCOUNT = 8;

const WARM_UP_SECONDS = 3;

const LIST_NODES = `SELECT DISTINCT nodename AS host, nodeport AS port, groupid
FROM pg_dist_node WHERE noderole = 'primary' ORDER BY groupid`;

// Source: PostgreSQL, section 73.1; the first line is the process id.
const FIND_PID = "SELECT CAST(split_part(pg_read_file('postmaster.pid'), chr(10), 1) AS INTEGER) AS pid";

/**
 * Measures updates and sign-ins of several accounts on a Citus cluster on this machine, whose superuser is the user of the
 * URL. Returns a table of the requests per second, and of the processor time of each process per request.
 *
 * @param url the URL of a database of the coordinator
 */
export async function measureCitus(url: string, isQuick: boolean): Promise<string> {
  const database = await openDatabase(url, { postgres: { poolSize: 2, timeoutMs: 60_000 } });
  const data: BenchData[] = [];
  const nodes = await database.read<{ host: string; port: number }>(LIST_NODES);
  const pids: number[] = [];
  try {
    await migrate(database, Date.now(), { shardCount: SHARDS });
    for (let n = 0; n < ACCOUNTS; n += 1) data.push(await makeAccount(database, url));
    for (const { host, port } of nodes) pids.push(await serverOf(url, host, port));
  } finally {
    await database.close();
  }
  const requests = {
    'REST update': data.map((each) => workloads.restUpdates(each)),
    'REST sign-in': data.map((each) => workloads.signIns(each, PER_ACCOUNT)),
  };
  const gateway = await startContender('gateway', url);
  const rows: string[] = [];
  try {
    for (const [name, ofAccounts] of Object.entries(requests)) {
      const mixed = interleaved(ofAccounts);
      await load(gateway, mixed, { seconds: WARM_UP_SECONDS });
      const before = pids.map(cpuSecondsOfServer);
      const seconds = isQuick ? 2 : 20;
      const { rate, cpuMicros, p99 } = await load(gateway, mixed, { seconds });
      const [coordinator = 0, ...workers] = pids.map(
        (pid, n) => ((cpuSecondsOfServer(pid) - (before[n] ?? 0)) / rate / seconds) * 1000,
      );
      const times = [cpuMicros / 1000, coordinator, workers.reduce((sum, each) => sum + each, 0)];
      const cells = [name, rate.toFixed(0), p99.toFixed(0), ...times.map((ms) => ms.toFixed(2))];
      rows.push(`| ${cells.join(' | ')} |`);
    }
  } finally {
    await gateway.stop();
  }
  const head = `| workload | requests/s | p99, ms | gateway, ms/request | coordinator | ${nodes.length - 1} workers together |`;
  return [head, '| --- | --- | --- | --- | --- | --- |', ...rows].join('\n');
}

async function makeAccount(database: Engine, url: string): Promise<BenchData> {
  const admin: AdminContext = {
    database,
    clock: Date.now,
    newId: idGenerator(Date.now),
    publicUrl: () => '',
  };
  const { name: account, defaultProject: project } = await createAccount(admin, { title: 'Benchmark' });
  const { accessToken } = await createToken(asOperator(admin), { account });
  const layer = await dataLayerOf(database, '');
  const { call } = await contextOf(layer, `Bearer ${accessToken}`);
  const wallets: string[] = [];
  const apps: { name: string; privateKey: string }[] = [];
  for (let n = 1; n <= PER_ACCOUNT; n += 1) {
    const address = `0x${n.toString(16).padStart(40, '0')}`;
    const wallet = { project, title: 'Wallet', description: '', network: 'NETWORK_ETHEREUM', address };
    wallets.push((await registerWallet(admin, wallet)).name);
    const { name, privateKey } = await createApp(call, { title: 'App', active: true });
    apps.push({ name, privateKey });
  }
  const projectId = () => idOf(project);
  const own = { account: idOf(account), tokens: [accessToken], wallets, apps, count: 1 };
  return { url, ...own, projectId, cursorBehind: () => '' };
}

/** Returns the requests of the accounts in turn. */
function interleaved(ofAccounts: readonly (readonly Request[])[]): readonly Request[] {
  const [first = []] = ofAccounts;
  return first.flatMap((_, n) => ofAccounts.flatMap((requests) => requests[n] ?? []));
}

/** Returns the process id of the server of a node. */
async function serverOf(url: string, hostname: string, port: number): Promise<number> {
  const node = Object.assign(new URL(url), { hostname, port: String(port) });
  const database = await openDatabase(node.href, { postgres: { poolSize: 1, timeoutMs: 60_000 } });
  try {
    const [row] = await database.read<{ pid: number }>(FIND_PID);
    return row?.pid ?? 0;
  } finally {
    await database.close();
  }
}

/** The processor time of a server and of the processes of its sessions, also of those that have ended. */
function cpuSecondsOfServer(pid: number): number {
  const processes = readdirSync('/proc').map(Number).filter(Number.isInteger);
  const children = processes.filter((each) => parentOf(each) === pid);
  return [...children, pid].reduce((sum, each) => sum + cpuSecondsOf(each), 0);
}

function parentOf(pid: number): number {
  try {
    return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return 0;
  }
}
