import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { AdminContext } from '../../src/data/dependencies.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { type HttpResponse, readResponse, send } from '../support/apis.ts';
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
  let metricsPort: number;

  beforeAll(async () => {
    metricsPort = await freePort();
    cluster = await startCluster(() => {}, { PAW_METRICS_PORT: String(metricsPort) });
    return async () => {
      expect(await cluster.stop('SIGTERM')).toMatchObject(WELL);
    };
  });

  test('log their URL once when all of them listen, all serve requests, and their metrics are added', async () => {
    const lines = cluster.log().filter(({ level }) => level >= INFO);
    expect(lines).toMatchObject([{ level: INFO, pid: cluster.pid, msg: `listening on ${cluster.url}` }]);
    expect(new Set([cluster.pid, ...cluster.workers()]).size).toBe(1 + 3);
    expect((await processesAt(cluster.url)).size).toBe(3);
    const health = '{http_request_method="GET",http_route="/healthz",http_response_status_code="200"}';
    const read = () => readMetric(metricsPort, 'http_server_request_duration_seconds_count');
    await expect.poll(read, POLL).toEqual({ [health]: 60 });
  });

  test('do not share their port with another server', async () => {
    const settings = { PORT: new URL(cluster.url).port, DATABASE_URL: databaseUrl, PAW_WORKERS: '2' };
    const stderr = expect.stringMatching(/^paw: Another program uses the port \d+\. .+ PORT=\d+\.\n$/);
    expect(await pawProcess(['serve'], settings)).toEqual({ status: 1, stdout: '', stderr });
  });

  test('that cannot open their database end with status 1 and one line', async () => {
    const url = 'sqlite:/dev/null/paw.db';
    const result = await pawProcess(['serve'], { PORT: '0', DATABASE_URL: url, PAW_WORKERS: '3' });
    expect(result).toEqual({ status: 1, stdout: '', stderr: expect.stringMatching(/^paw: [^\n]+\n$/) });
  });
});

test('workers that end are replaced on the same port, and logged', async () => {
  const cluster = await startCluster();
  const before = cluster.workers();
  const signals = ['SIGKILL', 'SIGTERM', 'SIGKILL'] as const;
  for (const [index, signal] of signals.entries()) process.kill(before[index] ?? Number.NaN, signal);
  await expect.poll(() => cluster.workers().length, POLL).toBe(3 + 3);
  expect((await processesAt(cluster.url)).size).toBe(3);
  const errors = cluster.log().filter(({ level }) => level >= ERROR);
  const ends = before.map((worker, index) =>
    expect.objectContaining(
      signals[index] === 'SIGKILL'
        ? { pid: cluster.pid, worker, code: null, signal: 'SIGKILL' }
        : { pid: cluster.pid, worker, code: 0, signal: null },
    ),
  );
  expect(errors).toHaveLength(3);
  expect(errors).toEqual(expect.arrayContaining(ends));
  expect(await cluster.stop('SIGTERM')).toMatchObject(WELL);
});

// A service manager sends the signal to all processes. The test of a stop under load sends it to the primary alone.
test('on SIGTERM to all processes, the workers complete the requests that they have begun, then all end', async () => {
  const { token } = await seedTenant({ admin });
  const cluster = await startCluster();
  const pids = [cluster.pid, ...cluster.workers()];
  const app = '{"title":"App","active":true}';
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': app.length,
    expect: '100-continue',
  };
  const creations: ClientRequest[] = [];
  // The system selects the worker of a connection by a hash, so that 40 connections are enough for each to get one.
  for (let n = 1; n <= 40; n += 1) {
    const creation = request(`${cluster.url}/auth/apps`, { agent: false, method: 'POST', headers });
    creation.flushHeaders();
    // The server sends this when it has read the headers, and waits for the body.
    await once(creation, 'continue');
    creation.write(app.slice(0, 10));
    creations.push(creation);
  }

  for (const pid of pids) process.kill(pid, 'SIGTERM');
  await expect.poll(() => listens(cluster.url), POLL).toBe(false);
  const answers = await Promise.all(creations.map((creation) => responseTo(creation.end(app.slice(10)))));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(answers.map(processOf)).size).toBe(3);
  expect(await cluster.ended).toMatchObject(WELL);
  for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  expect(cluster.workers()).toHaveLength(3);
});

test('workers end by themselves if the primary is killed', async () => {
  const cluster = await startCluster();
  // Its standard output is closed only when all workers have ended as well.
  expect(await cluster.stop('SIGKILL')).toMatchObject({ status: null, stderr: '' });
  expect(await listens(cluster.url)).toBe(false);
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
