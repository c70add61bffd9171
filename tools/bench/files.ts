import { randomUUID } from 'node:crypto';
import { Session } from 'node:inspector/promises';
import { pino } from 'pino';
import { readConfig } from '../../src/config.ts';
import { startServer } from '../../src/server.ts';
import { type BenchData, makeBenchData } from './data.ts';
import type { Request } from './load.ts';
import { lineOf } from './report.ts';
import * as workloads from './workloads.ts';

const PROJECTS = 100;

/** The request whose files are listed. */
const LISTED = 'REST update of one field';

// The first execution of a query, its compilation, and more than one that is compiled.
const WARM_UP_REQUESTS = 5;

const SOURCE = new URL('../../src/', import.meta.url);

/** A kind of request: those that come before, and the one that is measured. */
type Kind = {
  readonly name: string;
  readonly warmUp: readonly Request[];
  readonly request: Request;
};

/** The number of functions that were called, by the file of `src`. */
type Calls = ReadonlyMap<string, number>;

/**
 * Counts the files and functions of `src` that one request runs, by the coverage of V8, in a server in this process.
 *
 * @param url the URL of an empty database
 * @returns a table, and the files of an update of one field
 */
export async function measureFiles(engine: string, url: string): Promise<string> {
  const data = await makeBenchData(url, PROJECTS);
  const config = readConfig({ PORT: '0', PAW_STOP_DELAY: '0s', NODE_ENV: 'production', DATABASE_URL: url });
  const server = await startServer(config, pino({ level: 'info' }, { write() {} }));
  const session = new Session();
  session.connect();
  try {
    const rows: string[] = [];
    let list = '';
    for (const { name, warmUp, request } of kindsOf(data)) {
      for (const each of warmUp) await send(server.url, each);
      const calls = await callsDuring(session, () => send(server.url, request));
      const functions = [...calls.values()].reduce((sum, count) => sum + count, 0);
      rows.push(lineOf([`${name}, ${engine}`, String(calls.size), String(functions)]));
      if (name === LISTED) list = listOf(`${name}, ${engine}`, calls);
    }
    const head = ['| request | files | functions |', '| --- | --- | --- |'];
    return `${[...head, ...rows].join('\n')}\n\n${list}`;
  } finally {
    session.disconnect();
    await server.stop();
  }
}

function kindsOf(data: BenchData): readonly Kind[] {
  const { account } = data;
  const page = workloads.restPages(data, 1)(0);
  const update = workloads.restUpdates([account])(0);
  const signIn = workloads.signIns(data)(0);
  const query = workloads.graphqlPages(data, 1)(0);
  const mutation = workloads.graphqlUpdates([account])(0);
  const keyed = () => ({ ...update, headers: { ...update.headers, 'idempotency-key': randomUUID() } });
  const otherMutation = { ...mutation, body: mutation.body?.replace('Update', 'Other') ?? '' };
  const repeated = (request: Request) => ({ warmUp: Array(WARM_UP_REQUESTS).fill(request), request });
  return [
    { name: 'REST page', ...repeated(page) },
    { name: LISTED, ...repeated(update) },
    {
      name: 'REST update with an `Idempotency-Key`',
      warmUp: Array.from({ length: WARM_UP_REQUESTS }, keyed),
      request: keyed(),
    },
    { name: 'REST sign-in', ...repeated(signIn) },
    { name: 'GraphQL page, compiled', ...repeated(query) },
    { name: 'GraphQL update, first of its document', ...repeated(otherMutation), request: mutation },
    { name: 'GraphQL update, repeated', ...repeated(mutation) },
  ];
}

async function send(url: string, { path, ...request }: Request): Promise<void> {
  const response = await fetch(url + path, request);
  const text = await response.text();
  if (!response.ok || text.includes('"errors":')) throw new Error(`${path} was answered by ${text}`);
}

/** Returns the functions of `src` that are called while a request is sent and answered. */
async function callsDuring(session: Session, request: () => Promise<void>): Promise<Calls> {
  await session.post('Profiler.enable');
  // The counts of the calls begin at 0.
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await request();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  const calls = result
    .filter(({ url }) => url.startsWith(SOURCE.href))
    .map(({ url, functions }) => {
      const called = functions.filter(({ ranges: [range] }) => range && range.count > 0);
      return [url.slice(SOURCE.href.length), called.length] as const;
    });
  return new Map(calls.filter(([, count]) => count > 0).sort());
}

function listOf(name: string, calls: Calls): string {
  return [`${name}:`, ...[...calls].map(([file, count]) => `- src/${file}: ${count}`)].join('\n');
}
