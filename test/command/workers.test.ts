import { once } from 'node:events';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import type { AdminContext } from '../../src/data/dependencies.ts';
import { idGenerator } from '../../src/model/resource-name.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { type Answer, answerOf, postGraphql, send } from '../support/apis.ts';
import { makeDatabase, migrateDatabase, seedTenant } from '../support/gateway.ts';
import { paw, type Running, startPaw } from '../support/paw.ts';

/** A line of the log. */
type Entry = { readonly level: number; readonly pid: number; readonly msg: string };

/** A server that runs in several processes. */
type Cluster = Running & {
  readonly url: string;
  log(): readonly Entry[];
  /** The process ids of the workers that have listened so far, in their order. */
  workers(): readonly number[];
};

const INFO = 30;
const ERROR = 50;

const WELL = { status: 0, stderr: '' };

// Far beyond what anything takes, so that a busy machine fails nothing.
const SOON = { timeout: 30_000, interval: 10 };

// Makes a request come over a connection of its own.
const ALONE = { connection: 'close' };

const TITLE = 'query ($id: ID!) { node(id: $id) { ... on Wallet { title } } }';

let databaseUrl: string;
let admin: AdminContext;

beforeAll(async () => {
  const made = await makeDatabase();
  databaseUrl = made.url;
  await migrateDatabase(databaseUrl);
  const database = await openDatabase(databaseUrl);
  admin = { database, clock: Date.now, newId: idGenerator(Date.now), publicUrl: () => '' };
  return async () => {
    await database.close();
    await made.remove();
  };
});

describe('three workers', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await startCluster();
    return async () => {
      expect(await cluster.stop('SIGTERM')).toMatchObject(WELL);
    };
  });

  test('say once where they listen, when all of them do, and all of them answer', async () => {
    const said = cluster.log().filter(({ level }) => level >= INFO);
    expect(said).toMatchObject([{ level: INFO, pid: cluster.pid, msg: `listening on ${cluster.url}` }]);
    expect(new Set([cluster.pid, ...cluster.workers()]).size).toBe(1 + 3);
    expect((await processesAt(cluster.url)).size).toBe(3);
  });

  test('read at once what any of them has written', async () => {
    const { token, wallets } = await seedTenant({ admin }, { wallets: 1 });
    const [wallet = ''] = wallets;
    const path = `${cluster.url}/wallet/${wallet}`;
    const readers = [
      // An update of nothing is how this API reads a wallet.
      () => send(path, 'PATCH', token, {}, ALONE),
      () => postGraphql(cluster.url, token, TITLE, { id: wallet }, ALONE),
    ];
    const pairs = new Set<string>();
    for (let round = 1; round <= 50; round += 1) {
      const title = `Round ${round}`;
      const written = await send(path, 'PATCH', token, { title }, ALONE);
      expect(written.status).toBe(200);
      const reads = await Promise.all([...readers, ...readers, ...readers].map((read) => read()));
      for (const read of reads) {
        expect(read.text).toContain(`"title":"${title}"`);
        pairs.add(`${processOf(written)} ${processOf(read)}`);
      }
    }
    // Each has read what it has written itself, and what the two others have.
    expect(pairs.size).toBe(9);
  });

  test('that cannot open their database say so in one line, and end with 1', async () => {
    const url =
      inject('engine') === 'postgres' ? 'postgres://paw@127.0.0.1:1/paw' : 'sqlite:/dev/null/paw.db';
    const result = await paw(['serve'], { PORT: '0', DATABASE_URL: url, PAW_WORKERS: '3' });
    expect(result).toEqual({ status: 1, stdout: '', stderr: expect.stringMatching(/^paw: [^\n]+\n$/) });
  });
});

test.each([
  ['SIGKILL', { code: null, signal: 'SIGKILL' }],
  ['SIGTERM', { code: 0, signal: null }],
] as const)(
  'a worker that %s ends under load is replaced, what it has acknowledged stands, and the others serve on',
  async (signal, end) => {
    const { token, wallets } = await seedTenant({ admin }, { wallets: 32 });
    const cluster = await startCluster(onTestFinished);
    const [victim = Number.NaN] = cluster.workers();
    const acknowledged = wallets.map(() => 0);
    const refusals: string[] = [];
    const brokenOff = new Set<string>();
    let isOver = false;
    onTestFinished(() => {
      isOver = true;
    });

    /** Updates one wallet over and over on one connection. Returns how many updates it has tried. */
    async function keepUpdating(wallet: string, index: number): Promise<number> {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const options = { agent, method: 'PATCH', headers: headersOf(token) };
      let answeredBy = '';
      let n = 0;
      while (!isOver) {
        n += 1;
        const asking = request(`${cluster.url}/wallet/${wallet}`, options);
        const answer = await answerTo(asking.end(`{"title":"Write ${n}"}`)).catch(() => undefined);
        if (answer === undefined) {
          brokenOff.add(answeredBy);
          continue;
        }
        answeredBy = processOf(answer);
        if (answer.status === 200) acknowledged[index] = n;
        else refusals.push(answer.text);
      }
      agent.destroy();
      return n;
    }
    const updating = Promise.all(wallets.map(keepUpdating));
    const everyWriterGoesOn = async () => {
      const before = [...acknowledged];
      const hasGoneOn = () => acknowledged.every((n, index) => n >= (before[index] ?? Infinity) + 3);
      await expect.poll(hasGoneOn, SOON).toBe(true);
    };

    await everyWriterGoesOn();
    process.kill(victim, signal);
    await everyWriterGoesOn();
    await expect.poll(() => new Set(cluster.workers()).size, SOON).toBe(4);
    await everyWriterGoesOn();
    isOver = true;
    const tried = await updating;

    expect(refusals).toEqual([]);
    // Nobody has lost a connection but to the one that has ended.
    expect(brokenOff.size).toBeLessThanOrEqual(1);
    const errors = cluster.log().filter(({ level }) => level >= ERROR);
    expect(errors).toMatchObject([{ pid: cluster.pid, worker: victim, ...end }]);
    expect((await processesAt(cluster.url)).size).toBe(3);
    for (const [index, id] of wallets.entries()) {
      const { text } = await postGraphql(cluster.url, token, TITLE, { id }, ALONE);
      const written = Number(JSON.parse(text).data.node.title.slice('Write '.length));
      // What was under way at the end may or may not have been written.
      expect(written).toBeGreaterThanOrEqual(acknowledged[index] ?? Infinity);
      expect(written).toBeLessThanOrEqual(tried[index] ?? 0);
    }
    expect(await cluster.stop('SIGTERM')).toMatchObject(WELL);
  },
);

test('a connection that a worker is being handed as it dies is closed, and no other is', async () => {
  const cluster = await startCluster(onTestFinished);
  const [victim = Number.NaN] = cluster.workers();
  // So that it takes nothing of what it is handed.
  process.kill(victim, 'SIGSTOP');
  // The workers take the connections in turn, and the first to listen takes the first.
  const [lost, ...others] = Array.from({ length: 3 }, () =>
    answerTo(request(`${cluster.url}/healthz`, { agent: false }).end()),
  );
  const isCutOff = expect(lost).rejects.toMatchObject({ code: 'ECONNRESET' });
  for (const { status } of await Promise.all(others)) expect(status).toBe(200);
  process.kill(victim, 'SIGKILL');
  await isCutOff;
});

test.each([
  ['the primary alone', (cluster: Cluster) => [cluster.pid]],
  // As service managers do.
  ['the primary and all workers at once', (cluster: Cluster) => [cluster.pid, ...cluster.workers()]],
])('on SIGTERM to %s they answer what they have been asked, then all end', async (_, toldOf) => {
  const { token } = await seedTenant({ admin });
  const cluster = await startCluster(onTestFinished);
  const app = '{"title":"App","active":true}';
  // One for each worker, which take the connections in turn.
  const asked: (() => Promise<Answer>)[] = [];
  for (let n = 1; n <= 3; n += 1) {
    const headers = { ...headersOf(token), 'content-length': app.length, expect: '100-continue' };
    const asking = request(`${cluster.url}/auth/apps`, { agent: false, method: 'POST', headers });
    asking.flushHeaders();
    // The server says so when it has the head of the request, and waits for its body.
    await once(asking, 'continue');
    asking.write(app.slice(0, 10));
    asked.push(() => answerTo(asking.end(app.slice(10))));
  }

  for (const pid of toldOf(cluster)) process.kill(pid, 'SIGTERM');
  await expect.poll(() => listens(cluster.url), SOON).toBe(false);
  const answers = await Promise.all(asked.map((finish) => finish()));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  for (const { text } of answers) expect(JSON.parse(text)).toMatchObject({ title: 'App', active: true });
  expect(new Set(answers.map(processOf)).size).toBe(3);

  expect(await cluster.ended).toMatchObject(WELL);
  for (const pid of [cluster.pid, ...cluster.workers()]) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  expect(cluster.workers()).toHaveLength(3);
  expect(await listens(cluster.url)).toBe(false);
});

test('workers whose primary is killed end by themselves', async () => {
  const cluster = await startCluster(onTestFinished);
  // It has ended only when nobody holds its standard output any more, and so when all workers have, too.
  expect(await cluster.stop('SIGKILL')).toMatchObject({ status: null, stderr: '' });
  expect(await listens(cluster.url)).toBe(false);
});

/**
 * Starts a server with three workers.
 *
 * @param atEnd takes what ends it if nothing else has
 */
async function startCluster(atEnd: (end: () => Promise<void>) => void = () => {}): Promise<Cluster> {
  const settings = { PORT: '0', DATABASE_URL: databaseUrl, PAW_WORKERS: '3', LOG_LEVEL: 'debug' };
  const running = startPaw(['serve'], settings);
  atEnd(async () => {
    await running.stop('SIGKILL');
  });
  const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(await running.printed('listening on ')) ?? [];
  if (url === undefined) throw new Error('The server does not say where it listens.');
  // What stands behind the last line break may not be all of a line.
  const lines = () => running.output().split('\n').slice(0, -1);
  const log = () => lines().map((line): Entry => JSON.parse(line));
  const workers = () => log().flatMap(({ msg, pid }) => (msg === 'a worker listens' ? [pid] : []));
  return { ...running, url, log, workers };
}

/** The processes that answer at `url`. */
async function processesAt(url: string): Promise<ReadonlySet<string>> {
  const asking = Array.from({ length: 30 }, () => send(`${url}/healthz`, 'GET', undefined, undefined, ALONE));
  return new Set((await Promise.all(asking)).map(processOf));
}

/** What is the same in the ids of all requests that one process answers, and in those of no other. */
function processOf({ headers }: Answer): string {
  const [process] = /^\w+(?=-\d+$)/.exec(headers.get('x-request-id') ?? '') ?? [];
  if (process === undefined) throw new Error('The answer lacks the id of its request.');
  return process;
}

/** Whether anybody listens at `url`, which need not answer. */
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

async function answerTo(asking: ClientRequest): Promise<Answer> {
  const [response] = (await once(asking, 'response')) as [IncomingMessage];
  return answerOf(response);
}

function headersOf(token: string) {
  return { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
}
