import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { startPostgres } from '../support/postgres-server.ts';
import { type Contender, LOAD_CORE, startContender } from './contender.ts';
import { type BenchData, makeBenchData } from './data.ts';
import { ask, load, type Request, type Run, startLoad } from './load.ts';
import { median, type Result, tableHead, tableRow } from './report.ts';
import * as workloads from './workloads.ts';

// Compares the gateway with other servers on the same database. Each server is a separate process
// on one core. The load generator and PostgreSQL run on another core. Each reported ratio is the
// median of the ratios within each round, because the speed of the machine drifts between rounds.

const { values: options } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, only: { type: 'string' } },
});

// With short rounds, all sides of a round are measured at nearly the same time.
const ROUNDS = options.quick ? 5 : 25;
const SECONDS = options.quick ? 0.2 : 0.4;
const STARTS = options.quick ? 3 : 7;
const WARM_UP_SECONDS = options.quick ? 1 : 3;
const SMALL = 1000;
const SMALL_PAGES = 90;
const BIG = options.quick ? 100_000 : 1_000_000;
const BIG_PAGES = options.quick ? 2000 : 20_000;
const POSTGRES_COUNT = options.quick ? 20_000 : 200_000;
const DOCUMENTS = 1000;
const MANY_DOCUMENTS = options.quick ? 10_000 : 100_000;

const LABELS: Readonly<Record<string, string>> = {
  'baseline-sqlite': 'hand-written, node:http',
  'baseline-postgres': 'hand-written, node:http and pg',
  mercurius: 'Mercurius with JIT',
  'apollo-express': 'Apollo Server on Express',
  postgraphile: 'PostGraphile',
  commits: 'durable commits, one by one',
};

/** One side of a comparison: a server, its database and its requests. */
type Side = {
  readonly server: string;
  readonly data: BenchData;
  readonly requests: readonly Request[];
  /** The minimum duration of a file sync, in milliseconds. */
  readonly syncMs?: number;
  /** The number of connections that send updates at the same time. The updates are not measured. */
  readonly writers?: number;
};

type Other = Side & { readonly label: string; readonly wanted?: number | undefined };

type Comparison = {
  readonly name: string;
  readonly gateway: Side;
  readonly others: readonly Other[];
  /** Whether the responses of all servers must be equal. */
  readonly sameResponses?: boolean;
  /** Whether to compare latencies at half of the gateway's saturated rate, instead of rates. */
  readonly isAtHalfLoad?: boolean;
  /** Whether to compare latencies under full load, instead of rates. */
  readonly isLatency?: boolean;
};

type Databases = { readonly small: BenchData; readonly big: BenchData; readonly postgres: BenchData };

execFileSync('taskset', ['-cp', LOAD_CORE, String(process.pid)]);
const folder = mkdtempSync(join(tmpdir(), 'paw-bench-'));
const postgres = await startPostgres('synchronous_commit=off', 'shared_buffers=512MB');
const contenders = new Map<string, Contender>();
try {
  await compareAll();
} finally {
  await Promise.all([...contenders.values()].map(({ stop }) => stop()));
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function compareAll(): Promise<void> {
  progress('making the databases');
  const databases = {
    small: await makeBenchData(`sqlite:${join(folder, 'small.db')}`, SMALL),
    big: await makeBenchData(`sqlite:${join(folder, 'big.db')}`, BIG),
    postgres: await makeBenchData(postgres.urlOf('postgres'), POSTGRES_COUNT),
  };
  console.log(tableHead);
  for (const comparison of await comparisons(databases)) {
    if (options.only && !comparison.name.includes(options.only)) continue;
    if (comparison.sameResponses) await checkResponses(comparison);
    for (const result of await compare(comparison)) {
      progress('');
      console.log(tableRow(result));
    }
  }
  if (!options.only) console.log(`\n${await measureFootprint(databases)}`);
}

async function comparisons({ small, big, postgres }: Databases): Promise<readonly Comparison[]> {
  const pages = workloads.graphqlPages(big, BIG_PAGES);
  const postgresPages = workloads.graphqlPages(postgres, BIG_PAGES);
  const [cursor] = await postgraphileCursors(postgres);
  return [
    {
      ...versus('Relay page of 10, SQLite', big, pages, {
        'baseline-sqlite': 0.9,
        mercurius: 1.2,
        'apollo-express': 2.5,
      }),
      sameResponses: true,
    },
    {
      ...versus('Relay page of 10 at half load, SQLite', big, pages, { 'baseline-sqlite': 1.5 }),
      isAtHalfLoad: true,
    },
    {
      ...versus('Relay page of 10, PostgreSQL', postgres, postgresPages, {
        'baseline-postgres': 0.95,
        mercurius: 1.1,
        'apollo-express': undefined,
      }),
      sameResponses: true,
    },
    {
      name: 'Relay page of 10, PostgreSQL',
      gateway: { server: 'gateway', data: postgres, requests: postgresPages },
      others: [
        {
          server: 'postgraphile',
          data: postgres,
          requests: workloads.postgraphilePages(postgres, BIG_PAGES, cursor ?? ''),
          label: LABELS['postgraphile'] ?? '',
          wanted: 2.5,
        },
      ],
    },
    {
      ...versus('REST page of 10, SQLite', big, workloads.restPages(big, BIG_PAGES), {
        'baseline-sqlite': 0.9,
      }),
      sameResponses: true,
    },
    {
      ...versus('REST page of 10, PostgreSQL', postgres, workloads.restPages(postgres, BIG_PAGES), {
        'baseline-postgres': 0.9,
      }),
      sameResponses: true,
    },
    versus('GraphQL update, SQLite', small, workloads.graphqlUpdates(small), { commits: 2.5 }),
    versus('REST update, SQLite', small, workloads.restUpdates(small), { commits: 2.5 }),
    versus('GraphQL sign-in, SQLite', small, workloads.signIns(small), {
      mercurius: undefined,
      'apollo-express': undefined,
    }),
    versus('Relay page of 10, an update to 19 of them, SQLite', big, workloads.graphqlMix(big, BIG_PAGES), {
      'baseline-sqlite': 1.2,
      mercurius: 1.2,
    }),
    ...slowDiskComparisons(small),
    {
      name: `Relay page of 10 by ${DOCUMENTS} documents, SQLite`,
      gateway: { server: 'gateway', data: small, requests: workloads.graphqlDocuments(small, DOCUMENTS) },
      others: [
        {
          server: 'gateway',
          data: small,
          requests: workloads.graphqlDocuments(small, DOCUMENTS, 1),
          label: 'by one document',
        },
      ],
    },
    {
      name: `Relay page of 10 among ${BIG} projects and tokens`,
      gateway: { server: 'gateway', data: big, requests: workloads.graphqlPages(big, SMALL_PAGES) },
      others: [
        {
          server: 'gateway',
          data: small,
          requests: workloads.graphqlPages(small, SMALL_PAGES),
          label: `among ${SMALL}`,
          wanted: 0.95,
        },
      ],
    },
  ];
}

/** The effect of slow disk syncs on reads and updates. */
function slowDiskComparisons(data: BenchData): readonly Comparison[] {
  if (!hasStrace()) {
    progress('The rows of a slow disk are left out: strace (Debian package strace) is not installed.');
    return [];
  }
  const [reads, updates] = [workloads.restPages(data, SMALL_PAGES), workloads.restUpdates(data)];
  const side = (server: string, requests: readonly Request[], syncMs: number, writers?: number): Side => ({
    ...{ server, data, requests, syncMs },
    ...(writers !== undefined && { writers }),
  });
  const alone = { label: 'the same without updates' };
  const baseline = { label: LABELS['baseline-sqlite'] ?? '' };
  return [
    {
      name: 'REST page of 10 beside 1 writer, sync of 5 ms',
      gateway: side('gateway', reads, 5, 1),
      others: [{ ...side('gateway', reads, 5), ...alone, wanted: 0.8 }],
    },
    {
      name: 'REST page of 10 beside 32 writers, sync of 5 ms',
      gateway: side('gateway', reads, 5, 32),
      others: [{ ...side('baseline-sqlite', reads, 5, 32), ...baseline, wanted: 4 }],
    },
    {
      name: 'REST page of 10 beside 4 writers, sync of 50 ms',
      gateway: side('gateway', reads, 50, 4),
      others: [{ ...side('gateway', reads, 50), ...alone, wanted: 3 }],
      isLatency: true,
    },
    {
      name: 'REST update, sync of 5 ms',
      gateway: side('gateway', updates, 5),
      others: [{ ...side('baseline-sqlite', updates, 5), ...baseline, wanted: 8 }],
    },
  ];
}

function hasStrace(): boolean {
  return spawnSync('strace', ['--version']).status === 0;
}

/** Compares the gateway with other servers on the same database. `others` gives the target ratios. */
function versus(
  name: string,
  data: BenchData,
  requests: readonly Request[],
  others: Readonly<Record<string, number | undefined>>,
): Comparison {
  return {
    name,
    gateway: { server: 'gateway', data, requests },
    others: Object.entries(others).map(([server, wanted]) => ({
      server,
      data,
      requests,
      label: LABELS[server] ?? server,
      wanted,
    })),
  };
}

async function postgraphileCursors(data: BenchData): Promise<readonly string[]> {
  const [request] = workloads.postgraphilePages(data, 1, Buffer.from('[""]').toString('base64'));
  if (request === undefined) throw new Error('There is no request.');
  const { query, variables } = JSON.parse(request.body ?? '');
  const first = { ...request, body: JSON.stringify({ query, variables: { ...variables, after: null } }) };
  const answer = (await ask(await contender('postgraphile', data), first)) as {
    data: { allProjects: { edges: readonly { cursor: string }[] } };
  };
  return answer.data.allProjects.edges.map(({ cursor }) => cursor);
}

/** Measures the memory and the start time of the gateway, and returns them as text. */
async function measureFootprint({ small, big }: Databases): Promise<string> {
  progress('memory');
  const onBig = (await contender('gateway', big)).residentMb();
  const gateway = await contender('gateway', small);
  const documents = workloads.graphqlDocuments(small, MANY_DOCUMENTS);
  const before = gateway.residentMb();
  await load(gateway, documents, { requests: documents.length });
  const growth = gateway.residentMb() - before;
  progress('start');
  const ready: number[] = [];
  const answered: number[] = [];
  const nodes: number[] = [];
  for (let n = 0; n < STARTS; n += 1) {
    const bare = performance.now();
    execFileSync(process.execPath, ['-e', '0']);
    nodes.push(performance.now() - bare);
    const start = performance.now();
    const started = await startContender('gateway', big.url);
    ready.push(performance.now() - start);
    const [request] = workloads.graphqlPages(big, 1);
    if (request) await ask(started, request);
    answered.push(performance.now() - start);
    await started.stop();
  }
  return [
    `Resident memory after the run among ${BIG} projects: ${onBig.toFixed(0)} MB (at most 180).`,
    `Grown by ${growth.toFixed(0)} MB after ${documents.length} different documents.`,
    `Ready on that file ${median(ready).toFixed(0)} ms after the start, where \`node -e 0\` takes ${median(nodes).toFixed(0)} ms; first response after ${median(answered).toFixed(0)} ms.`,
  ].join('\n');
}

/** Returns a server on a database. The first call starts it. */
async function contender(server: string, { url }: BenchData, syncMs = 0): Promise<Contender> {
  const key = `${server} ${url} ${syncMs}`;
  const started = contenders.get(key) ?? (await startContender(server, url, syncMs));
  contenders.set(key, started);
  return started;
}

async function checkResponses({ gateway, others }: Comparison): Promise<void> {
  for (const [n, request] of gateway.requests.slice(0, 50).entries()) {
    const response = await ask(await contender(gateway.server, gateway.data), request);
    for (const { server, data, requests } of others) {
      const other = await ask(await contender(server, data), requests[n] ?? request);
      if (!isDeepStrictEqual(other, response)) {
        throw new Error(`${server} answers ${JSON.stringify(other)}, not ${JSON.stringify(response)}`);
      }
    }
  }
}

async function compare({
  name,
  gateway,
  others,
  isAtHalfLoad = false,
  isLatency = isAtHalfLoad,
}: Comparison): Promise<readonly Result[]> {
  const sides = [gateway, ...others];
  for (const each of sides) await warmUp(each);
  const rate = isAtHalfLoad ? (await measure(gateway, SECONDS)).rate / 2 : undefined;
  const runs = new Map<Side, Run[]>(sides.map((each) => [each, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    progress(`${name}: round ${round + 1} of ${ROUNDS}`);
    // Each round starts with another side, so that no side always follows the same one.
    for (let n = 0; n < sides.length; n += 1) {
      const each = sides[(n + round) % sides.length];
      if (each !== undefined) runs.get(each)?.push(await measure(each, SECONDS, rate));
    }
  }
  const ours = runs.get(gateway) ?? [];
  return others.map((other) => ({
    workload: name,
    against: other.label,
    wanted: other.wanted,
    isLatency,
    ours,
    theirs: runs.get(other) ?? [],
  }));
}

/** Warms a server up. Each of several documents is sent often enough to be compiled. */
async function warmUp(side: Side): Promise<void> {
  const { server, data, requests } = side;
  if (server !== 'commits' && requests.length === DOCUMENTS) {
    await load(await contender(server, data), requests, { requests: 4 * DOCUMENTS });
  }
  await measure(side, WARM_UP_SECONDS);
}

async function measure(side: Side, seconds: number, rate?: number): Promise<Run> {
  const { server, data, requests, syncMs, writers = 0 } = side;
  const measured = await contender(server, data, syncMs);
  if (server !== 'commits') {
    const stopWriters = startLoad(measured, workloads.restUpdates(data), writers);
    const run = await load(measured, requests, { seconds, rate });
    await stopWriters();
    return run;
  }
  const committed = Number(await measured.ask(String(seconds)));
  return { rate: committed, cpuMicros: Number.NaN, p50: Number.NaN, p99: Number.NaN };
}

function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
  else if (text !== '') process.stderr.write(`${text}\n`);
}
