import { once } from 'node:events';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { AdminContext } from '../../src/data/dependencies.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { type HttpResponse, postGraphql, readResponse, send } from '../support/apis.ts';
import { freePort } from '../support/free-port.ts';
import { adminContext, makeDatabase, migrateDatabase, seedTenant } from '../support/gateway.ts';
import { readMetric } from '../support/metrics.ts';
import {
  logLines,
  pawProcess,
  type RunningServer,
  type Settings,
  startServerProcess,
} from '../support/paw.ts';

/** A line of the log. */
type Entry = { readonly level: number; readonly pid: number; readonly msg: string };

/** A server that runs in several processes. */
type Cluster = RunningServer & {
  log(): readonly Entry[];
  /** The process ids of the workers that have listened so far, in this order. */
  workers(): readonly number[];
};

const INFO = 30;
const ERROR = 50;

const WELL = { status: 0, stderr: '' };

// Far longer than needed, so that no test fails on a busy machine.
const POLL = { timeout: 60_000, interval: 10 };

// Sends a request on a new connection.
const ALONE = { connection: 'close' };

const TITLE = 'query ($id: ID!) { node(id: $id) { ... on Wallet { title } } }';

let databaseUrl: string;
let admin: AdminContext;

beforeAll(async () => {
  const made = await makeDatabase();
  databaseUrl = made.url;
  await migrateDatabase(databaseUrl);
  const database = await openDatabase(databaseUrl);
  admin = adminContext(database);
  return async () => {
    await database.close();
    await made.remove();
  };
});

describe('three workers', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await startCluster(() => {});
    return async () => {
      expect(await cluster.stop('SIGTERM')).toMatchObject(WELL);
    };
  });

  test('log their URL once when all of them listen, and all of them serve requests', async () => {
    const lines = cluster.log().filter(({ level }) => level >= INFO);
    expect(lines).toMatchObject([{ level: INFO, pid: cluster.pid, msg: `listening on ${cluster.url}` }]);
    expect(new Set([cluster.pid, ...cluster.workers()]).size).toBe(1 + 3);
    expect((await processesAt(cluster.url)).size).toBe(3);
  });

  test('see the writes of every worker on the next request', async () => {
    const { token, wallets } = await seedTenant({ admin }, { wallets: 1 });
    const [wallet = ''] = wallets;
    const path = `${cluster.url}/wallet/${wallet}`;
    const readers = [
      // This API reads a wallet by an update without fields.
      () => send(path, 'PATCH', token, {}, ALONE),
      () => postGraphql(cluster.url, token, TITLE, { id: wallet }, ALONE),
    ];
    const pairs = new Set<string>();
    // The loop ends when each worker has read its own writes and those of the two others.
    for (let round = 1; pairs.size < 9; round += 1) {
      const title = `Round ${round}`;
      const written = await send(path, 'PATCH', token, { title }, ALONE);
      expect(written.status).toBe(200);
      const reads = await Promise.all([...readers, ...readers, ...readers].map((read) => read()));
      for (const read of reads) {
        expect(read.text).toContain(`"title":"${title}"`);
        pairs.add(`${processOf(written)} ${processOf(read)}`);
      }
    }
  });

  test('that cannot open their database end with status 1 and one line', async () => {
    const url = 'sqlite:/dev/null/paw.db';
    const result = await pawProcess(['serve'], { PORT: '0', DATABASE_URL: url, PAW_WORKERS: '3' });
    expect(result).toEqual({ status: 1, stdout: '', stderr: expect.stringMatching(/^paw: [^\n]+\n$/) });
  });
});

test('a worker that ends under load is replaced, loses no acknowledged write, and the others serve on', async () => {
  const { token, wallets } = await seedTenant({ admin }, { wallets: 3 });
  const cluster = await startCluster();
  const acknowledged = wallets.map(() => 0);
  const refusals: string[] = [];
  const interrupted = new Set<string>();
  let isOver = false;
  onTestFinished(() => {
    isOver = true;
  });

  /** Updates one wallet repeatedly on one connection. Returns the number of sent updates. */
  async function keepUpdating(wallet: string, index: number): Promise<number> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const options = { agent, method: 'PATCH', headers: headersOf(token) };
    let server = '';
    let n = 0;
    while (!isOver) {
      n += 1;
      const update = request(`${cluster.url}/wallet/${wallet}`, options);
      const response = await responseTo(update.end(`{"title":"Write ${n}"}`)).catch(() => undefined);
      if (response === undefined) {
        interrupted.add(server);
        continue;
      }
      server = processOf(response);
      if (response.status === 200) acknowledged[index] = n;
      else refusals.push(response.text);
    }
    agent.destroy();
    return n;
  }
  const updates = Promise.all(wallets.map(keepUpdating));
  const expectProgress = async () => {
    const before = [...acknowledged];
    const hasProgress = () => acknowledged.every((n, index) => n >= (before[index] ?? Infinity) + 3);
    await expect.poll(hasProgress, POLL).toBe(true);
  };

  const ends = [
    ['SIGKILL', { code: null, signal: 'SIGKILL' }],
    ['SIGTERM', { code: 0, signal: null }],
  ] as const;
  for (const [index, [signal]] of ends.entries()) {
    await expectProgress();
    process.kill(cluster.workers()[index] ?? Number.NaN, signal);
    await expect.poll(() => new Set(cluster.workers()).size, POLL).toBe(3 + index + 1);
    await expectProgress();
  }
  isOver = true;
  const sent = await updates;

  expect(refusals).toEqual([]);
  // Only connections to the workers that ended are lost.
  expect(interrupted.size).toBeLessThanOrEqual(ends.length);
  const errors = cluster.log().filter(({ level }) => level >= ERROR);
  expect(errors).toMatchObject(
    ends.map(([, end], index) => ({ pid: cluster.pid, worker: cluster.workers()[index], ...end })),
  );
  expect((await processesAt(cluster.url)).size).toBe(3);
  for (const [index, id] of wallets.entries()) {
    const { text } = await postGraphql(cluster.url, token, TITLE, { id }, ALONE);
    const written = Number(JSON.parse(text).data.node.title.slice('Write '.length));
    // A write without a response may have been applied or not.
    expect(written).toBeGreaterThanOrEqual(acknowledged[index] ?? Infinity);
    expect(written).toBeLessThanOrEqual(sent[index] ?? 0);
  }
  expect(await cluster.stop('SIGTERM')).toMatchObject(WELL);
}, 180_000);

test('replacements listen on the same port after all workers have died', async () => {
  const cluster = await startCluster();
  const before = cluster.workers();
  for (const pid of before) process.kill(pid, 'SIGKILL');
  await expect.poll(() => cluster.workers().length, POLL).toBe(3 + 3);
  expect((await processesAt(cluster.url)).size).toBe(3);
  expect(await cluster.stop('SIGTERM')).toMatchObject(WELL);
});

test('the connections of a worker that does not respond are closed when it dies', async () => {
  const cluster = await startCluster();
  const [victim = Number.NaN] = cluster.workers();
  // This prevents it from accepting connections.
  process.kill(victim, 'SIGSTOP');
  const answers = Array.from({ length: 60 }, () =>
    responseTo(request(`${cluster.url}/healthz`, { agent: false }).end()).then(
      ({ status }) => status,
      (error) => error.code,
    ),
  );
  await Promise.any(answers);
  process.kill(victim, 'SIGKILL');
  expect(new Set(await Promise.all(answers))).toEqual(new Set([200, 'ECONNRESET']));
});

test('a server with workers does not share its port with another one', async () => {
  const cluster = await startCluster();
  const { port } = new URL(cluster.url);
  const other = await pawProcess(['serve'], { PORT: port, DATABASE_URL: databaseUrl, PAW_WORKERS: '2' });
  expect(other).toEqual({ status: 1, stdout: '', stderr: expect.stringMatching(/address already in use/) });
});

test.each([
  ['the primary alone', (cluster: Cluster) => [cluster.pid]],
  // A service manager does the same.
  ['the primary and all workers at once', (cluster: Cluster) => [cluster.pid, ...cluster.workers()]],
])(
  'on SIGTERM to %s, the workers complete the requests that they have begun, then all processes end',
  async (_, pidsOf) => {
    const { token } = await seedTenant({ admin });
    const cluster = await startCluster();
    const app = '{"title":"App","active":true}';
    const creations: (() => Promise<HttpResponse>)[] = [];
    // The system selects the worker of a connection by a hash, so that 40 connections are enough for each to get one.
    for (let n = 1; n <= 40; n += 1) {
      const headers = { ...headersOf(token), 'content-length': app.length, expect: '100-continue' };
      const creation = request(`${cluster.url}/auth/apps`, { agent: false, method: 'POST', headers });
      creation.flushHeaders();
      // The server sends this when it has read the headers, and waits for the body.
      await once(creation, 'continue');
      creation.write(app.slice(0, 10));
      creations.push(() => responseTo(creation.end(app.slice(10))));
    }

    for (const pid of pidsOf(cluster)) process.kill(pid, 'SIGTERM');
    await expect.poll(() => listens(cluster.url), POLL).toBe(false);
    const answers = await Promise.all(creations.map((finish) => finish()));
    for (const { status } of answers) expect(status).toBe(200);
    for (const { text } of answers) expect(JSON.parse(text)).toMatchObject({ title: 'App', active: true });
    expect(new Set(answers.map(processOf)).size).toBe(3);

    expect(await cluster.ended).toMatchObject(WELL);
    for (const pid of [cluster.pid, ...cluster.workers()])
      expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect(cluster.workers()).toHaveLength(3);
    expect(await listens(cluster.url)).toBe(false);
  },
);

test('workers end by themselves if the primary is killed', async () => {
  const cluster = await startCluster();
  // Its standard output is closed only when all workers have ended as well.
  expect(await cluster.stop('SIGKILL')).toMatchObject({ status: null, stderr: '' });
  expect(await listens(cluster.url)).toBe(false);
});

test('the metrics are the sum of those of the workers', async () => {
  const port = await freePort();
  const { url } = await startCluster(undefined, { PAW_METRICS_PORT: String(port) });
  const processes = await processesAt(url);
  expect(processes.size).toBe(3);
  const health = '{http_request_method="GET",http_route="/healthz",http_response_status_code="200"}';
  const read = () => readMetric(port, 'http_server_request_duration_seconds_count');
  await expect.poll(read, { timeout: 30_000 }).toEqual({ [health]: 60 });
});

/** Starts a server with three workers. */
async function startCluster(
  atEnd?: (end: () => Promise<void>) => void,
  others: Settings = {},
): Promise<Cluster> {
  const settings = { DATABASE_URL: databaseUrl, PAW_WORKERS: '3', LOG_LEVEL: 'debug', ...others };
  const running = await startServerProcess(settings, atEnd);
  const log = (): readonly Entry[] => logLines(running.output());
  const workers = () => log().flatMap(({ msg, pid }) => (msg === 'worker is listening' ? [pid] : []));
  // Each process writes its own lines, in any order.
  await vi.waitFor(() => expect(workers()).toHaveLength(Number(settings.PAW_WORKERS)), POLL);
  return { ...running, log, workers };
}

/** The processes that serve requests at `url`. */
async function processesAt(url: string): Promise<ReadonlySet<string>> {
  // The system selects the worker of a connection by a hash.
  const requests = Array.from({ length: 60 }, () =>
    send(`${url}/healthz`, 'GET', undefined, undefined, ALONE),
  );
  return new Set((await Promise.all(requests)).map(processOf));
}

/** The part of a request id that identifies the process. */
function processOf({ headers }: HttpResponse): string {
  const [process] = /^\w+(?=-\d+$)/.exec(headers.get('x-request-id') ?? '') ?? [];
  if (process === undefined) throw new Error('The response has no request id.');
  return process;
}

/** Whether a process listens at `url`; it need not respond. */
async function listens(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  try {
    await once(socket, 'connect');
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'ECONNREFUSED' });
    return false;
  } finally {
    socket.destroy();
  }
}

async function responseTo(sent: ClientRequest): Promise<HttpResponse> {
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return readResponse(response);
}

function headersOf(token: string) {
  return { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
}
