import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Commit, checkOut } from './commit.ts';
import { type Comparison, type Engine, IS_QUICK, ordinaryComparisons } from './comparisons.ts';
import type { Contender } from './contender.ts';
import { type BenchData, makeBenchData } from './data.ts';
import type { Request } from './load.ts';
import { type Contenders, progress } from './measure.ts';
import { heapTable, perResponse, processorTime, type Result, tableOf } from './report.ts';
import type { RecordedResponse } from './servers/bare.ts';

const PROJECTS = 10_000;

/** The number of rounds. */
export const ROUNDS = IS_QUICK ? 3 : 9;

// What a commit may take more than another one.
const MAX_PROCESSOR_TIME = 1.05;
const MAX_PROMOTED = 1.2;

// The bytes per response that a request may leave in the old generation in any case.
const FEW_BYTES = 200;

// Node makes these for each response.
const OWN_HEADERS = ['connection', 'date', 'keep-alive'];

const EMPTY_LIST = /"(?:edges|nodes)":\[\]/;

/** Where a benchmark makes its databases and files. */
export type Workplace = {
  readonly folder: string;
  /** Creates a database on PostgreSQL, and returns its URL. */
  createDatabase(name: string): Promise<string>;
  /** Only workloads with this text in their names are measured. */
  readonly rows: string;
};

/**
 * Compares ordinary requests with another commit, a hand-written server, and bare `node:http`. What is slower than the other
 * commit is measured twice.
 *
 * @param against the name of the other commit
 * @returns a report, and what is slower in both runs
 */
export async function measureGuard(
  contenders: Contenders,
  workplace: Workplace,
  against: string | undefined,
): Promise<{ readonly report: string; readonly slower: readonly string[] }> {
  const commit = checkOut(against, join(workplace.folder, 'other'));
  try {
    const results: Result[] = [];
    const slower: string[] = [];
    for (const comparison of await prepareOrdinary(contenders, workplace, commit)) {
      const first = await contenders.compare(comparison, ROUNDS);
      results.push(...first);
      if (!first.some((result) => isSlower(result, commit))) continue;
      const second = await contenders.compare(comparison, ROUNDS);
      results.push(...second);
      if (second.some((result) => isSlower(result, commit))) slower.push(comparison.name);
    }
    return { report: `${tableOf(results)}\n\n${heapTable(results, commit.name)}`, slower };
  } finally {
    commit.remove();
  }
}

/** Makes the databases, starts and warms up the servers, and returns the comparisons of ordinary requests on both engines. */
export async function prepareOrdinary(
  contenders: Contenders,
  { folder, createDatabase, rows }: Workplace,
  commit?: Commit,
): Promise<readonly Comparison[]> {
  const responses = join(folder, 'responses.json');
  const comparisons: Comparison[] = [];
  const urlOf: Readonly<Record<Engine, (name: string) => Promise<string> | string>> = {
    SQLite: (name) => `sqlite:${join(folder, `${name}.db`)}`,
    PostgreSQL: createDatabase,
  };
  for (const engine of ['SQLite', 'PostgreSQL'] as const) {
    progress(`making the databases of ${engine}`);
    const data = await makeBenchData(await urlOf[engine]('ours'), PROJECTS);
    const other = commit && { ...commit, data: await dataOf(commit, await urlOf[engine]('theirs')) };
    const all = ordinaryComparisons({ engine, data, responses, other });
    comparisons.push(...all.filter(({ name }) => name.includes(rows)));
  }
  const recorded: Record<string, RecordedResponse> = {};
  for (const { name, gateway } of comparisons) {
    if (gateway.hasLog) continue;
    const response = await record(await contenders.of(gateway), gateway.requests(0));
    if (EMPTY_LIST.test(response.body)) throw new Error(`${name}: a list is empty: ${response.body}`);
    recorded[name] = response;
  }
  writeFileSync(responses, JSON.stringify(recorded));
  await contenders.warmUp(comparisons);
  return comparisons;
}

/** Makes the same data by the code of another commit, whose tables can be different. */
async function dataOf({ root }: Commit, url: string): Promise<BenchData> {
  cpSync(import.meta.dirname, join(root, 'tools/bench'), { recursive: true });
  const { makeBenchData: make }: typeof import('./data.ts') = await import(join(root, 'tools/bench/data.ts'));
  return make(url, PROJECTS);
}

async function record({ url }: Contender, { path, ...request }: Request): Promise<RecordedResponse> {
  const response = await fetch(url + path, request);
  const headers = [...response.headers].filter(([name]) => !OWN_HEADERS.includes(name));
  return { headers: Object.fromEntries(headers), body: await response.text() };
}

function isSlower(result: Result, { name }: Commit): boolean {
  if (result.against !== name) return false;
  const { ours, theirs } = result;
  const promoted = perResponse(ours, 'promoted');
  return (
    (processorTime(result)?.median ?? 0) > MAX_PROCESSOR_TIME ||
    promoted > Math.max(FEW_BYTES, MAX_PROMOTED * perResponse(theirs, 'promoted'))
  );
}
