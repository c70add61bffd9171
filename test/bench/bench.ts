import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { type Contender, LOAD_CORE, startContender } from './contender.ts';
import { type BenchData, makeBenchData } from './data.ts';
import { ask, load, type Request, type Run } from './load.ts';
import { median, type Result, tableHead, tableRows } from './report.ts';
import * as workloads from './workloads.ts';

// Compares the gateway with other servers on the same file. Each is a process of its own
// on one core, and the load comes from another. What is reported is the median, over the
// rounds, of the ratio within a round, since the machine's speed drifts between rounds.

const { values: options } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, only: { type: 'string' } },
});

const ROUNDS = options.quick ? 3 : 7;
const SECONDS = options.quick ? 0.3 : 1.5;
const SMALL = 1000;
const DOCUMENTS = 1000;
const SPREAD = options.quick ? 2000 : 20_000;
const MANY_DOCUMENTS = options.quick ? 10_000 : 100_000;
const ON_BIG = ' on the big file';
const BIG = options.quick ? 100_000 : 1_000_000;

const LABELS: Readonly<Record<string, string>> = {
  limit: 'hand-written node:http',
  mercurius: 'Mercurius with JIT',
  yoga: 'GraphQL Yoga',
  'apollo-express': 'Apollo Server on Express',
  commits: 'bare commits, one by one',
};

/** One side of a comparison: who is asked, and what. */
type Side = { readonly who: string; readonly requests: readonly Request[] };

type Comparison = {
  readonly name: string;
  readonly gateway: Side;
  readonly others: readonly (Side & { readonly label: string; readonly atLeast?: number | undefined })[];
  /** Whether all are to give the same answers. */
  readonly sameAnswers: boolean;
};

execFileSync('taskset', ['-cp', LOAD_CORE, String(process.pid)]);
const folder = mkdtempSync(join(tmpdir(), 'paw-bench-'));
const contenders = new Map<string, Contender>();
try {
  await compareAll();
} finally {
  await Promise.all([...contenders.values()].map(({ stop }) => stop()));
  rmSync(folder, { recursive: true, force: true });
}

async function compareAll(): Promise<void> {
  progress('making the databases');
  const small = await makeBenchData(join(folder, 'small.db'), SMALL);
  const big = await makeBenchData(join(folder, 'big.db'), BIG);
  for (const name of ['gateway', 'limit', 'mercurius', 'yoga', 'apollo-express', 'commits']) {
    contenders.set(name, await startContender(name, small.file));
  }
  for (const name of ['gateway', 'limit', 'mercurius']) {
    contenders.set(name + ON_BIG, await startContender(name, big.file));
  }
  console.log(tableHead);
  for (const comparison of comparisons(small, big)) {
    if (options.only && !comparison.name.includes(options.only)) continue;
    if (comparison.sameAnswers) await checkAnswers(comparison);
    const rows = tableRows(await compare(comparison));
    progress('');
    console.log(rows);
  }
  if (!options.only) console.log(`\n${await measureFootprint(small, big)}`);
}

function comparisons(small: BenchData, big: BenchData): readonly Comparison[] {
  const page10 = workloads.graphqlPages(small, 10, 50);
  const page100 = workloads.graphqlPages(small, 100, 10);
  const rest10 = workloads.restPages(small, 10, 50);
  const rest100 = workloads.restPages(small, 100, 10);
  const signIns = workloads.signIns(small);
  const spread = workloads.graphqlPagesSpread(big, 10, SPREAD, BIG);
  const end = (count: number) => workloads.graphqlPagesBehind(small, 10, [0, count / 2, count - 10]);
  const frameworks = ['mercurius', 'yoga', 'apollo-express'];
  return [
    versus('GraphQL page of 10', page10, ['limit', ...frameworks], {
      limit: 1,
      mercurius: 1.25,
      'apollo-express': 3,
    }),
    versus('GraphQL page of 100', page100, ['limit', ...frameworks], { limit: 0.9 }),
    versus('REST page of 10', rest10, ['limit'], { limit: 1 }),
    versus('REST page of 100', rest100, ['limit'], { limit: 1 }),
    {
      ...versus('GraphQL update', workloads.graphqlUpdates(small), ['commits'], { commits: 1 }),
      sameAnswers: false,
    },
    {
      ...versus('REST update', workloads.restUpdates(small), ['commits'], { commits: 1 }),
      sameAnswers: false,
    },
    { ...versus('GraphQL sign-in', signIns, ['limit', ...frameworks]), sameAnswers: false },
    {
      ...versus('GraphQL page of 10, an update to 19 of them', workloads.graphqlMix(small), [
        'limit',
        'mercurius',
      ]),
      sameAnswers: false,
    },
    {
      name: `GraphQL page of 10 by ${DOCUMENTS} documents`,
      gateway: { who: 'gateway', requests: workloads.graphqlDocuments(small, DOCUMENTS) },
      others: [
        {
          who: 'gateway',
          label: 'by one',
          requests: workloads.graphqlDocuments(small, DOCUMENTS, 1),
          atLeast: 0.9,
        },
      ],
      sameAnswers: false,
    },
    {
      name: `GraphQL page of 10 among ${BIG} projects and tokens`,
      gateway: {
        who: `gateway${ON_BIG}`,
        requests: workloads.graphqlPagesBehind(big, 10, [0, BIG / 2, BIG - 10]),
      },
      others: [{ who: 'gateway', label: `among ${SMALL}`, requests: end(SMALL), atLeast: 0.9 }],
      sameAnswers: false,
    },
    {
      name: `GraphQL page of 10, each time another of ${SPREAD}, among ${BIG}`,
      gateway: { who: `gateway${ON_BIG}`, requests: spread },
      others: ['limit', 'mercurius'].map((name) => ({
        who: name + ON_BIG,
        label: LABELS[name] ?? name,
        requests: spread,
      })),
      sameAnswers: false,
    },
  ];
}

function versus(
  name: string,
  requests: readonly Request[],
  others: readonly string[],
  atLeast: Readonly<Record<string, number>> = {},
): Comparison {
  return {
    name,
    gateway: { who: 'gateway', requests },
    others: others.map((who) => ({ who, requests, label: LABELS[who] ?? who, atLeast: atLeast[who] })),
    sameAnswers: true,
  };
}

/** What the gateway takes of the machine, in words. */
async function measureFootprint(small: BenchData, big: BenchData): Promise<string> {
  progress('memory');
  const onBig = contender(`gateway${ON_BIG}`).residentMb();
  const documents = workloads.graphqlDocuments(small, MANY_DOCUMENTS);
  const before = contender('gateway').residentMb();
  await load(contender('gateway'), documents, Number.POSITIVE_INFINITY, documents.length);
  const growth = contender('gateway').residentMb() - before;
  progress('start');
  const ready: number[] = [];
  const answered: number[] = [];
  const nodes: number[] = [];
  for (let n = 0; n < ROUNDS; n += 1) {
    const bare = performance.now();
    execFileSync(process.execPath, ['-e', '0']);
    nodes.push(performance.now() - bare);
    const start = performance.now();
    const started = await startContender('gateway', big.file);
    ready.push(performance.now() - start);
    const [request] = workloads.graphqlPages(big, 10, 1);
    if (request) await ask(started, request);
    answered.push(performance.now() - start);
    await started.stop();
  }
  return [
    `Resident memory after the run among ${BIG} projects: ${onBig.toFixed(0)} MB (at most 200).`,
    `Grown by ${growth.toFixed(0)} MB after ${documents.length} different documents (at most 30).`,
    `Ready on that file ${median(ready).toFixed(0)} ms after the start (at most three times what \`node -e 0\` takes, ${median(nodes).toFixed(0)} ms, and 250 ms, which is ${(3 * median(nodes) + 250).toFixed(0)} ms); first answer after ${median(answered).toFixed(0)} ms.`,
  ].join('\n');
}

function contender(name: string): Contender {
  const found = contenders.get(name);
  if (found === undefined) throw new Error(`There is no ${name}.`);
  return found;
}

async function checkAnswers({ gateway, others }: Comparison): Promise<void> {
  for (const [n, request] of gateway.requests.entries()) {
    const answer = await ask(contender(gateway.who), request);
    for (const { who, requests } of others) {
      const other = await ask(contender(who), requests[n] ?? request);
      if (!isDeepStrictEqual(other, answer)) {
        throw new Error(`${who} answers otherwise: ${JSON.stringify(other)}, not ${JSON.stringify(answer)}`);
      }
    }
  }
}

async function compare({ name, gateway, others }: Comparison): Promise<readonly Result[]> {
  const sides = [gateway, ...others];
  // Each request has been asked twice before it counts.
  for (const each of sides) {
    if (each.who !== 'commits')
      await load(contender(each.who), each.requests, Infinity, 2 * each.requests.length);
    await measure(each);
  }
  const runs = new Map<Side, Run[]>(sides.map((each) => [each, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    progress(`${name}: round ${round + 1} of ${ROUNDS}`);
    // Begun by another each time, so that no one always follows the same.
    for (let n = 0; n < sides.length; n += 1) {
      const each = sides[(n + round) % sides.length];
      if (each !== undefined) runs.get(each)?.push(await measure(each));
    }
  }
  const ours = runs.get(gateway) ?? [];
  return others.map((other) => ({
    workload: name,
    against: other.label,
    atLeast: other.atLeast,
    ours,
    theirs: runs.get(other) ?? [],
  }));
}

async function measure({ who, requests }: Side): Promise<Run> {
  if (who !== 'commits') return load(contender(who), requests, SECONDS);
  return { rate: Number(await contender(who).ask(String(SECONDS))), cpuMicros: Number.NaN };
}

function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
  else if (text !== '') process.stderr.write(`${text}\n`);
}
