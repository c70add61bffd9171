/**
 * Runs two servers on one SQLite file for a long time, with all operations at half of the rate that they
 * sustain. One server is stopped and killed in turn and started again. Afterwards every acknowledged write is
 * read. Prints a report, and fails if a write was lost or a request got an unexpected response.
 *
 * Argument: the duration in minutes; the default is 30.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { openDatabase } from '../../src/storage/open-database.ts';
import { makeBenchData } from '../bench/data.ts';
import { percentile } from '../bench/report.ts';
import { NO_RATE_LIMITS } from '../support/no-rate-limits.ts';

// biome-ignore lint/suspicious/noExplicitAny: the shape follows from the request
type Body = any;

/** A running server. */
type Server = { readonly pid: number; readonly pool: Pool; end(signal: NodeJS.Signals): Promise<void> };

const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url));

const MINUTES = Number(process.argv[2] ?? 30);
const CALIBRATION_MS = 15_000;
const RESTART_INTERVAL_MS = 20_000;
const MEMORY_INTERVAL_MS = 5_000;
const MAX_IN_FLIGHT = 64;
const PROJECTS = 1000;

const folder = mkdtempSync(join(tmpdir(), 'paw-soak-'));
const url = `sqlite:${join(folder, 'paw.db')}`;
const data = await makeBenchData(url, PROJECTS);
const [token = ''] = data.tokens;

const createdApps: string[] = [];
const wallets = data.wallets.map((name) => ({ name, sent: 0, acknowledged: 0, isBusy: false }));
const statuses = new Map<string, number>();
const latencies: number[] = [];

const PAGE = `query ($first: Int, $after: String) {
  projects(first: $first, after: $after) { edges { cursor node { id name title } } pageInfo { hasNextPage endCursor } }
}`;
const CREATE = 'mutation ($input: CreateAppInput!) { createApp(input: $input) { app { name } } }';
const UPDATE = 'mutation ($input: UpdateWalletInput!) { updateWallet(input: $input) { wallet { title } } }';
const SIGN_IN = 'mutation ($input: SignInInput!) { signIn(input: $input) { accessToken } }';

/** The operations, each of which is sent to one server. Reads are more frequent than writes. */
const OPERATIONS: readonly ((server: Server, n: number) => Promise<void>)[] = [
  async (server, n) =>
    void (await graphql(server, PAGE, { first: 10, after: data.cursorBehind(1 + (n % 900)) })),
  async (server, n) =>
    void (await rest(server, 'GET', `/project/projects?pageToken=${data.cursorBehind(1 + (n % 900))}`)),
  async (server, n) =>
    void (await graphql(server, PAGE, { first: 10, after: data.cursorBehind(1 + (n % 700)) })),
  async (server) => void (await rest(server, 'GET', '/project/projects')),
  async (server) =>
    noteApp((await graphql(server, CREATE, { input: { title: 'Soak', active: true } }))?.data.createApp.app),
  async (server) => noteApp(await rest(server, 'POST', '/auth/apps', { title: 'Soak', active: true })),
  async (server, n) => void (await graphql(server, SIGN_IN, { input: data.apps[n % data.apps.length] })),
  (server, n) => updateWallet(n, (name, title) => graphql(server, UPDATE, { input: { name, title } })),
  (server, n) => updateWallet(n, (name, title) => rest(server, 'PATCH', `/wallet/${name}`, { title })),
];

let servers: readonly Server[] = await Promise.all([startServer(), startServer()]);
const memory: number[] = [];

const sustained = await run(CALIBRATION_MS, Number.POSITIVE_INFINITY);
console.log(`sustained: ${Math.round(sustained)} requests/s`);
statuses.clear();
latencies.length = 0;

const restarts = { stops: 0, kills: 0 };
const isOver = new AbortController();
const restarting = restartRepeatedly();
const sampling = setInterval(() => memory.push(residentMb(servers[0]?.pid ?? 0)), MEMORY_INTERVAL_MS);
const rate = await run(MINUTES * 60_000, sustained / 2);
clearInterval(sampling);
isOver.abort();
await restarting;

const lost = await lostWrites();
for (const server of servers) await server.end('SIGTERM');
const integrity = await integrityOf(url);
const unexpected = [...statuses].filter(([status]) => status !== '200' && status !== 'killed');
report();
rmSync(folder, { recursive: true });
if (lost > 0 || integrity !== 'ok' || unexpected.length > 0) process.exitCode = 1;

/** Sends the operations in turn at a rate, in requests per second. Returns the rate that was reached. */
async function run(ms: number, perSecond: number): Promise<number> {
  const start = performance.now();
  const inFlight = new Set<Promise<void>>();
  let sent = 0;
  while (performance.now() - start < ms) {
    const due = ((performance.now() - start) / 1000) * perSecond;
    if (sent >= due) await delay(1);
    else if (inFlight.size >= MAX_IN_FLIGHT) await Promise.race(inFlight);
    else {
      const begun = performance.now();
      const operation = OPERATIONS[sent % OPERATIONS.length] as (typeof OPERATIONS)[number];
      const server = servers[Math.floor(sent / OPERATIONS.length) % servers.length] as Server;
      const request = operation(server, sent).then(() => {
        latencies.push(performance.now() - begun);
        inFlight.delete(request);
      });
      inFlight.add(request);
      sent += 1;
    }
  }
  await Promise.all(inFlight);
  return (sent / (performance.now() - start)) * 1000;
}

async function graphql(server: Server, query: string, variables: object): Promise<Body> {
  const answer = await rest(server, 'POST', '/graphql', { query, variables });
  if (answer?.errors) count(`GraphQL ${answer.errors[0].extensions.code}`);
  return answer?.errors ? undefined : answer;
}

async function rest(
  server: Server,
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  body?: object,
): Promise<Body> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  try {
    const sent = { method, path, headers, body: body === undefined ? null : JSON.stringify(body) };
    const response = await server.pool.request(sent);
    const answer = await response.body.json();
    count(String(response.statusCode));
    return response.statusCode === 200 ? answer : undefined;
  } catch (error) {
    // Only a request to a server that is being ended may fail.
    count(servers.includes(server) ? `failed: ${error}` : 'killed');
    return undefined;
  }
}

function count(status: string): void {
  statuses.set(status, (statuses.get(status) ?? 0) + 1);
}

function noteApp(app: { readonly name: string } | undefined): void {
  if (app) createdApps.push(app.name);
}

/** Updates a wallet to which no other update is being sent. */
async function updateWallet(
  n: number,
  update: (name: string, title: string) => Promise<unknown>,
): Promise<void> {
  const wallet = wallets.slice(n % wallets.length).find(({ isBusy }) => !isBusy);
  if (wallet === undefined) return;
  wallet.isBusy = true;
  wallet.sent += 1;
  const title = wallet.sent;
  if (await update(wallet.name, String(title))) wallet.acknowledged = title;
  wallet.isBusy = false;
}

/** Ends the second server again and again, and starts another. */
async function restartRepeatedly(): Promise<void> {
  const [first, ...others] = servers;
  let second = others[0] as Server;
  for (let round = 0; ; round += 1) {
    await delay(RESTART_INTERVAL_MS, undefined, { signal: isOver.signal }).catch(() => {});
    if (isOver.signal.aborted) return;
    const isKill = round % 2 === 1;
    const ended = second;
    // A balancer stops sending requests before a server is stopped, but not before it dies.
    servers = [first as Server];
    await ended.end(isKill ? 'SIGKILL' : 'SIGTERM');
    restarts[isKill ? 'kills' : 'stops'] += 1;
    second = await startServer();
    servers = [first as Server, second];
  }
}

async function startServer(): Promise<Server> {
  const child = spawn(process.execPath, ['--max-semi-space-size=16', MAIN, 'serve'], {
    env: {
      PATH: process.env['PATH'],
      MALLOC_MMAP_THRESHOLD_: '1048576',
      PORT: '0',
      NODE_ENV: 'production',
      DATABASE_URL: url,
      ...NO_RATE_LIMITS,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const { url: address } = JSON.parse(line);
    if (address === undefined) continue;
    child.stdout.resume();
    const pool = new Pool(address, { connections: MAX_IN_FLIGHT });
    return {
      pid: child.pid ?? 0,
      pool,
      async end(signal) {
        child.kill(signal);
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
        await pool.destroy();
      },
    };
  }
  throw new Error('The server did not start.');
}

/** The number of acknowledged writes that the servers do not show. */
async function lostWrites(): Promise<number> {
  const server = servers[0] as Server;
  let count = 0;
  for (let start = 0; start < createdApps.length; start += 100) {
    const ids = createdApps.slice(start, start + 100);
    const { data: found } = await graphql(server, 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', {
      ids,
    });
    count += ids.filter((id, index) => found.nodes[index]?.id !== id).length;
  }
  for (const { name, acknowledged, sent } of wallets) {
    const { title } = await rest(server, 'PATCH', `/wallet/${name}`, {});
    const written = title === 'Wallet' ? 0 : Number(title);
    if (written < acknowledged || written > sent) count += 1;
  }
  return count;
}

async function integrityOf(databaseUrl: string): Promise<unknown> {
  const database = await openDatabase(databaseUrl);
  const [row] = await database.read('SELECT integrity_check FROM pragma_integrity_check');
  await database.close();
  return row?.['integrity_check'];
}

function residentMb(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
  return (Number(kilobytes) * 1024) / 1e6;
}

function report(): void {
  const third = Math.ceil(memory.length / 3);
  const thirds = [0, 1, 2].map((n) => Math.round(percentile(memory.slice(n * third, (n + 1) * third), 0.5)));
  console.log(
    [
      `rate: ${Math.round(rate)} requests/s for ${MINUTES} minutes`,
      `responses: ${[...statuses].map(([status, number]) => `${status}: ${number}`).join(', ')}`,
      `latency: p50 ${percentile(latencies, 0.5).toFixed(1)} ms, p99 ${percentile(latencies, 0.99).toFixed(1)} ms`,
      `second server: ${restarts.stops} stops, ${restarts.kills} kills`,
      `memory of the first server, median of each third: ${thirds.join(', ')} MB`,
      `acknowledged: ${createdApps.length} apps, ${wallets.reduce((sum, each) => sum + each.acknowledged, 0)} updates`,
      `lost: ${lost}, integrity: ${integrity}`,
    ].join('\n'),
  );
}
