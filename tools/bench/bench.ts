import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { startPostgres } from '../../test/support/postgres-server.ts';
import { drawChart, themes } from './chart.ts';
import { measureCitus } from './citus.ts';
import {
  BIG,
  type Comparison,
  type Databases,
  furtherComparisons,
  IS_QUICK,
  POSTGRES_COUNT,
  SMALL,
} from './comparisons.ts';
import { LOAD_CORE, startContender } from './contender.ts';
import { type BenchData, makeBenchData } from './data.ts';
import { measureFiles } from './files.ts';
import { measureGuard, prepareOrdinary } from './guard.ts';
import { measureHostile } from './hostile.ts';
import { ask, load, type Request } from './load.ts';
import { Contenders, progress } from './measure.ts';
import { heapTable, median, type Result, tableOf } from './report.ts';
import { measureValidation } from './validation.ts';
import * as workloads from './workloads.ts';

// Compares the gateway with other servers on the same database. Each server is a separate process
// on one core. The load generator and PostgreSQL run on another core. Each reported ratio is the
// median of the ratios within each round, because the speed of the machine drifts between rounds.
// A run that is not quick writes the results of ordinary requests into the docs.

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    against: { type: 'string' },
  },
});

const ROUNDS = IS_QUICK ? 5 : 15;
const STARTS = IS_QUICK ? 3 : 7;
const MANY_DOCUMENTS = IS_QUICK ? 10_000 : 100_000;

const DOCS = fileURLToPath(new URL('../../docs/', import.meta.url));

const RESULTS = /(?<=<!-- ordinary requests -->\n).*(?=\n<!-- end of ordinary requests -->)/s;

execFileSync('taskset', ['-cp', LOAD_CORE, String(process.pid)]);
const folder = mkdtempSync(join(tmpdir(), 'paw-bench-'));
const postgres = await startPostgres('shared_buffers=512MB');
const contenders = new Contenders();
const workplace = {
  folder,
  async createDatabase(name: string) {
    const client = new Client(postgres.urlOf('postgres'));
    await client.connect();
    await client.query(`CREATE DATABASE ${name}`);
    await client.end();
    return postgres.urlOf(name);
  },
};
try {
  await measure(options.only);
} finally {
  await contenders.stop();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function measure(only: string | undefined): Promise<void> {
  switch (only) {
    case undefined:
      await measureOrdinary();
      return measureFurther();
    case 'ordinary':
      return measureOrdinary();
    case 'guard':
      return guard();
    case 'files':
      console.log(await measureFiles('SQLite', `sqlite:${join(folder, 'files.db')}`));
      return console.log(`\n${await measureFiles('PostgreSQL', await workplace.createDatabase('files'))}`);
    case 'validation':
      return console.log(measureValidation());
    case 'hostile':
      return console.log(await measureHostile(IS_QUICK));
    case 'citus': {
      const { PAW_TEST_CITUS_URL: url } = process.env;
      if (url === undefined) throw new Error('PAW_TEST_CITUS_URL is not set.');
      return console.log(await measureCitus(url, IS_QUICK));
    }
    default:
      throw new Error(`--only takes guard, ordinary, files, validation, hostile or citus, and not ${only}.`);
  }
}

async function guard(): Promise<void> {
  const { report, slower } = await measureGuard(contenders, workplace, options.against);
  console.log(report);
  if (slower.length === 0) return;
  console.error(
    `Slower than the other commit, or with more bytes promoted, in two runs: ${slower.join('; ')}`,
  );
  process.exitCode = 1;
}

async function measureOrdinary(): Promise<void> {
  const results = await compareAll(await prepareOrdinary(contenders, workplace));
  for (const theme of IS_QUICK ? [] : themes) {
    writeFileSync(join(DOCS, `benchmarks-${theme}.svg`), `${await drawChart(results, theme)}\n`);
  }
  publish(`${tableOf(results)}\n\n${heapTable(results)}`);
}

async function measureFurther(): Promise<void> {
  progress('making the databases');
  const databases = {
    small: await makeBenchData(`sqlite:${join(folder, 'small.db')}`, SMALL),
    big: await makeBenchData(`sqlite:${join(folder, 'big.db')}`, BIG),
    postgres: await makeBenchData(await workplace.createDatabase('big'), POSTGRES_COUNT),
  };
  const comparisons = furtherComparisons(databases, await postgraphileCursor(databases.postgres));
  await contenders.warmUp(comparisons);
  const results = await compareAll(comparisons);
  console.log([tableOf(results), await measureFootprint(databases), measureValidation()].join('\n\n'));
}

async function compareAll(comparisons: readonly Comparison[]): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const comparison of comparisons) {
    if (comparison.sameResponses) await contenders.checkResponses(comparison);
    results.push(...(await contenders.compare(comparison, ROUNDS)));
  }
  return results;
}

/** Prints results, and writes them into the docs. */
function publish(text: string): void {
  console.log(text);
  if (IS_QUICK) return;
  const file = join(DOCS, 'benchmarks.md');
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace(RESULTS, () => text),
  );
}

/** Returns the first cursor of PostGraphile, as a pattern of the others. */
async function postgraphileCursor(data: BenchData): Promise<string> {
  const [request] = workloads.postgraphilePages(data, 1, Buffer.from('[""]').toString('base64'));
  const { query, variables } = JSON.parse(request?.body ?? '');
  const body = JSON.stringify({ query, variables: { ...variables, after: null } });
  const answer = (await ask(await contenders.of({ server: 'postgraphile', data }), {
    ...(request as Request),
    body,
  })) as { data: { allProjects: { edges: readonly { cursor: string }[] } } };
  return answer.data.allProjects.edges[0]?.cursor ?? '';
}

/** Measures the memory and the start time of the gateway, and returns them as a table. */
async function measureFootprint({ small, big }: Databases): Promise<string> {
  progress('memory');
  const onBig = (await contenders.of({ server: 'gateway', data: big })).residentMb();
  const gateway = await contenders.of({ server: 'gateway', data: small });
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
    '| measurement | value |',
    '| --- | --- |',
    `| resident memory after the run among ${BIG} projects | ${onBig.toFixed(0)} MB |`,
    `| growth of resident memory after ${documents.length} different documents | ${growth.toFixed(0)} MB |`,
    `| start until ready, on the file with ${BIG} projects | ${median(ready).toFixed(0)} ms (\`node -e 0\` takes ${median(nodes).toFixed(0)} ms) |`,
    `| start until the first response | ${median(answered).toFixed(0)} ms |`,
  ].join('\n');
}
