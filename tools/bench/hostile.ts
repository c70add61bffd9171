import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/storage/open-database.ts';
import { NO_RATE_LIMITS } from '../../test/support/no-rate-limits.ts';
import { SERVER_CORE } from './contender.ts';
import { makeBenchData } from './data.ts';
import type { Command, Measured } from './hostile-gateway.ts';
import {
  bodyCases,
  type Case,
  documentCases,
  formCases,
  type HttpRequest,
  headerCases,
  type Known,
  validRequests,
  variableCases,
} from './hostile-requests.ts';

const BATCH = 20;
const REPORTED = 10;
const MIN_MS = 1;
const REPETITIONS = 5;

/** A gateway that measures itself. */
class MeasuredGateway {
  readonly #child: ChildProcess;
  readonly url: string;
  #requests = 0;

  constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  static async start(databaseUrl: string): Promise<MeasuredGateway> {
    const child = fork(new URL('./hostile-gateway.ts', import.meta.url), {
      execArgv: ['--max-semi-space-size=16', '--disable-warning=ExperimentalWarning'],
      env: {
        PATH: process.env['PATH'],
        PORT: '0',
        DATABASE_URL: databaseUrl,
        ...NO_RATE_LIMITS,
        PAW_LOG_REQUESTS: 'all',
        PAW_TRUSTED_PROXIES: '127.0.0.1,::1,10.0.0.0/8',
        PAW_CORS_ORIGINS: 'https://example.com,http://localhost:*',
        PAW_FEDERATION: 'on',
      },
    });
    const [url] = await once(child, 'message');
    execFileSync('taskset', ['-cp', SERVER_CORE, String(child.pid)], { stdio: 'ignore' });
    return new MeasuredGateway(child, url);
  }

  /** Sends requests one after the other, each when the one before is answered. */
  async measure(requests: readonly HttpRequest[]): Promise<Measured> {
    await this.#command('start');
    for (const request of requests) await this.#send(request);
    return this.#command('stop');
  }

  async stop(): Promise<void> {
    this.#child.kill();
    await once(this.#child, 'exit');
  }

  async #command(command: Command): Promise<Measured> {
    this.#child.send(command);
    const [answer] = await once(this.#child, 'message');
    return answer;
  }

  async #send(request: HttpRequest): Promise<void> {
    const socket = connect(Number(new URL(this.url).port), '127.0.0.1');
    // The gateway may reject the request before it has read it.
    socket.on('error', () => {}).resume();
    this.#requests += 1;
    socket.end(Buffer.from(this.#textOf(request), 'latin1'));
    await new Promise((resolve) => socket.on('close', resolve));
  }

  #textOf({ method, path, headers, body }: HttpRequest): string {
    const bytes = Buffer.from(body ?? '');
    const all: Record<string, string> = {
      host: 'a',
      // Introspection has a limit by address.
      'x-forwarded-for': `192.0.${(this.#requests >> 8) % 256}.${this.#requests % 256}`,
      ...(body !== undefined && { 'content-length': String(bytes.length) }),
      ...headers,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${bytes.toString('latin1')}`;
  }
}

type Result = { readonly hostile: Case; readonly ms: number };

/** Measures hostile requests. Returns tables of the most expensive ones, without a token and with a project token. */
export async function measureHostile(isQuick: boolean): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'paw-hostile-'));
  const url = `sqlite:${join(folder, 'paw.db')}`;
  const known = await seed(url);
  const gateway = await MeasuredGateway.start(url);
  try {
    const [anonymous, projectToken] = [
      {},
      { authorization: `Bearer ${await projectTokenOf(gateway, known)}` },
    ];
    const tables = [
      await tableOf('without a token', gateway, casesOf(gateway, known, anonymous, isQuick)),
      await tableOf('with a project token', gateway, casesOf(gateway, known, projectToken, isQuick)),
    ];
    return tables.join('\n\n');
  } finally {
    await gateway.stop();
    rmSync(folder, { recursive: true });
  }
}

async function seed(url: string): Promise<Known> {
  const { wallets, apps, account } = await makeBenchData(url, 1000);
  const database = await openDatabase(url);
  for (const table of ['wallet', 'project']) {
    await database.write(`UPDATE ${table} SET description = $1`, ['\u0001'.repeat(2000)]);
  }
  const [project] = await database.read<{ id: string }>(
    'SELECT MIN(id) AS id FROM project WHERE account_id = $1',
    [account],
  );
  await database.close();
  return {
    wallet: wallets[0] ?? '',
    project: `projects/${project?.id}`,
    ...(apps[0] ?? { name: '', privateKey: '' }),
  };
}

async function projectTokenOf({ url }: MeasuredGateway, { name, privateKey }: Known): Promise<string> {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: name,
    client_secret: privateKey,
  });
  const response = await fetch(`${url}/oauth/token`, { method: 'POST', body });
  const { access_token: token } = (await response.json()) as { access_token: string };
  return token;
}

async function* casesOf(
  gateway: MeasuredGateway,
  known: Known,
  authorization: Readonly<Record<string, string>>,
  isQuick: boolean,
): AsyncGenerator<Case> {
  const withToken = (request: HttpRequest) => ({
    ...request,
    headers: { ...authorization, ...request.headers },
  });
  for (const request of validRequests(known).map(withToken)) {
    const { headers } = await gateway.measure([request]);
    yield* headerCases(request, headers, isQuick);
    if (request.body?.startsWith('{')) yield* bodyCases(request);
    else if (request.body !== undefined) yield* formCases(request);
  }
  for (const each of [...variableCases(known), ...documentCases(known, isQuick)]) {
    yield { ...each, requestOf: (nonce) => withToken(each.requestOf(nonce)) };
  }
}

/** Measures all cases in batches, those of slow batches by themselves, and the slowest of these again. */
async function tableOf(label: string, gateway: MeasuredGateway, cases: AsyncIterable<Case>): Promise<string> {
  let count = 0;
  let slowest: readonly Result[] = [];
  for await (const batch of batchesOf(cases)) {
    count += batch.length;
    const bound = Math.max(MIN_MS, slowest[REPORTED - 1]?.ms ?? 0);
    if ((await leastOf(gateway, batch, 2)) < bound) continue;
    const measured = [];
    for (const hostile of batch)
      measured.push({ hostile, ms: await leastOf(gateway, [hostile], REPETITIONS) });
    slowest = [...slowest, ...measured].toSorted((a, b) => b.ms - a.ms).slice(0, REPORTED);
  }
  const rows = slowest.map(
    ({ hostile, ms }) => `| ${hostile.name.replaceAll('|', '\\|')} | ${ms.toFixed(1)} |`,
  );
  return [`| ${count} hostile requests ${label} | ms in one piece |`, '| --- | --- |', ...rows].join('\n');
}

async function* batchesOf(cases: AsyncIterable<Case>): AsyncGenerator<readonly Case[]> {
  let batch: Case[] = [];
  for await (const each of cases) {
    batch.push(each);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

/**
 * Returns the longest turn of the event loop, in milliseconds of processor time: the least one of several measurements,
 * because garbage collections and other programs of the machine lengthen it.
 */
async function leastOf(
  gateway: MeasuredGateway,
  cases: readonly Case[],
  repetitions: number,
): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let n = 0; n < repetitions; n += 1) {
    const { ms } = await gateway.measure(cases.flatMap(requestsOf));
    least = Math.min(least, ms);
  }
  return least;
}

function requestsOf({ requestOf, times }: Case): readonly HttpRequest[] {
  const request = requestOf(randomUUID());
  return Array(times).fill(request);
}
