/**
 * Runs two servers on one SQLite file for a long time, with all operations at half of the rate that they
 * sustain. One server is stopped and killed in turn and started again. Afterwards every acknowledged write is
 * read. Prints a report, and fails if a write was lost or a request got an unexpected response.
 *
 * Argument: the duration in minutes; the default is 30.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openDatabase } from '../../src/storage/open-database.ts';
import {
  Changes,
  type Instance,
  request,
  sendAtRate,
  startInstance,
} from '../../test/support/acknowledged-changes.ts';
import { residentMbOf } from '../bench/contender.ts';
import { makeBenchData } from '../bench/data.ts';
import { percentile } from '../bench/report.ts';
import { PAGE } from '../bench/workloads.ts';

const MINUTES = Number(process.argv[2] ?? 30);
const CALIBRATION_MS = 15_000;
const RESTART_INTERVAL_MS = 20_000;
const MEMORY_INTERVAL_MS = 5_000;
const MAX_IN_FLIGHT = 64;
const PROJECTS = 1000;

const folder = mkdtempSync(join(tmpdir(), 'paw-soak-'));
const databaseUrl = `sqlite:${join(folder, 'paw.db')}`;
const data = await makeBenchData(databaseUrl, PROJECTS);
const [token = ''] = data.tokens;
const changes = new Changes(token, data.wallets);

const statuses = new Map<string, number>();
const latencies: number[] = [];

const SIGN_IN = 'mutation ($input: SignInInput!) { signIn(input: $input) { accessToken } }';

const placeOf = (n: number) => data.cursorBehind(1 + (n % (PROJECTS - 100)));

async function graphql(url: string, query: string, variables: object): Promise<string> {
  return (await request(url, token, 'POST', '/graphql', { query, variables })).status;
}

async function getProjects(url: string, search: string): Promise<string> {
  return (await request(url, token, 'GET', `/project/projects${search}`)).status;
}

/** The operations, each of which is sent to one server. Reads are more frequent than writes. */
const OPERATIONS: readonly ((url: string, n: number) => Promise<string>)[] = [
  (url, n) => graphql(url, PAGE, { first: 10, after: placeOf(n) }),
  (url, n) => getProjects(url, `?pageToken=${placeOf(n)}`),
  (url, n) => graphql(url, PAGE, { first: 10, after: placeOf(n + 500) }),
  (url) => getProjects(url, ''),
  (url) => changes.createApp(url, 'GraphQL'),
  (url) => changes.createApp(url, 'REST'),
  (url, n) => graphql(url, SIGN_IN, { input: data.apps[n % data.apps.length] }),
  (url) => changes.updateWallet(url, 'GraphQL'),
  (url) => changes.updateWallet(url, 'REST'),
];

const first = await startInstance(databaseUrl);
let servers: readonly Instance[] = [first, await startInstance(databaseUrl)];

const sustained = (await run(CALIBRATION_MS, Number.MAX_SAFE_INTEGER)) / (CALIBRATION_MS / 1000);
console.log(`sustained: ${Math.round(sustained)} requests/s`);
statuses.clear();
latencies.length = 0;

const memory: number[] = [];
const sampling = setInterval(() => memory.push(residentMbOf(first.pid)), MEMORY_INTERVAL_MS);
const isOver = new AbortController();
const restarting = restartRepeatedly(isOver.signal);
const sent = await run(MINUTES * 60_000, sustained / 2);
clearInterval(sampling);
isOver.abort();
const restarts = await restarting;

const lost = await changes.countLost(first.url);
for (const server of servers) await server.end('SIGTERM');
const integrity = await readIntegrity();
rmSync(folder, { recursive: true });
report();
const unexpected = [...statuses.keys()].filter((status) => status !== 'ok' && status !== 'killed');
if (lost > 0 || integrity !== 'ok' || unexpected.length > 0) process.exitCode = 1;

/** Sends the operations in turn at a rate, in requests per second. Returns the number of requests. */
function run(ms: number, rate: number): Promise<number> {
  return sendAtRate(rate, MAX_IN_FLIGHT, AbortSignal.timeout(ms), async (n) => {
    const begun = performance.now();
    const operation = OPERATIONS[n % OPERATIONS.length] as (typeof OPERATIONS)[number];
    const server = servers[Math.floor(n / OPERATIONS.length) % servers.length] as Instance;
    const status = await operation(server.url, n);
    // Only a request to a server that is being ended may fail.
    const shown = status === 'ok' || servers.includes(server) ? status : 'killed';
    statuses.set(shown, (statuses.get(shown) ?? 0) + 1);
    latencies.push(performance.now() - begun);
  });
}

/** Ends the second server again and again, and starts another. Returns the numbers of stops and kills. */
async function restartRepeatedly(signal: AbortSignal): Promise<{ stops: number; kills: number }> {
  for (let round = 0; ; round += 1) {
    await delay(RESTART_INTERVAL_MS, undefined, { signal }).catch(() => {});
    if (signal.aborted) return { stops: Math.ceil(round / 2), kills: Math.floor(round / 2) };
    const [, ended] = servers;
    // A balancer stops sending requests before a server is stopped, but not before it dies.
    servers = [first];
    await ended?.end(round % 2 === 0 ? 'SIGTERM' : 'SIGKILL');
    servers = [first, await startInstance(databaseUrl)];
  }
}

async function readIntegrity(): Promise<unknown> {
  const database = await openDatabase(databaseUrl);
  const [row] = await database.read('SELECT integrity_check FROM pragma_integrity_check');
  await database.close();
  return row?.['integrity_check'];
}

function report(): void {
  const third = Math.ceil(memory.length / 3);
  const thirds = [0, 1, 2].map((n) => Math.round(percentile(memory.slice(n * third, (n + 1) * third), 0.5)));
  console.log(
    [
      `rate: ${Math.round(sent / MINUTES / 60)} requests/s for ${MINUTES} minutes`,
      `responses: ${[...statuses].map(([status, number]) => `${status}: ${number}`).join(', ')}`,
      `latency: p50 ${percentile(latencies, 0.5).toFixed(1)} ms, p99 ${percentile(latencies, 0.99).toFixed(1)} ms`,
      `second server: ${restarts.stops} stops, ${restarts.kills} kills`,
      `memory of the first server, median of each third: ${thirds.join(', ')} MB`,
      `acknowledged: ${changes.apps.length} apps, ${changes.updates} updates`,
      `lost: ${lost}, integrity: ${integrity}`,
    ].join('\n'),
  );
}
