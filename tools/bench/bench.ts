import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { startPostgres } from '../../test/support/postgres-server.ts';
import { drawChart, themes } from './chart.ts';
import { measureCitus } from './citus.ts';
import {
  BIG,
  type Comparison,
  comparisons,
  type Databases,
  DOCUMENTS,
  IS_QUICK,
  POSTGRES_COUNT,
  type Side,
  SMALL,
} from './comparisons.ts';
import { type Contender, LOAD_CORE, startContender } from './contender.ts';
import { type BenchData, makeBenchData } from './data.ts';
import { measureHostile } from './hostile.ts';
import { ask, load, type Request, type Run, startLoad } from './load.ts';
import { median, type Result, tableHead, tableRow } from './report.ts';
import { measureValidation } from './validation.ts';
import * as workloads from './workloads.ts';

// Compares the gateway with other servers on the same database. Each server is a separate process
// on one core. The load generator and PostgreSQL run on another core. Each reported ratio is the
// median of the ratios within each round, because the speed of the machine drifts between rounds.
// A complete run writes its results into the docs.

const { values: options } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, only: { type: 'string' } },
});

// With short rounds, all sides of a round are measured at nearly the same time.
const ROUNDS = IS_QUICK ? 5 : 25;
const SECONDS = IS_QUICK ? 0.2 : 0.4;
const STARTS = IS_QUICK ? 3 : 7;
const WARM_UP_SECONDS = IS_QUICK ? 1 : 3;
const MANY_DOCUMENTS = IS_QUICK ? 10_000 : 100_000;

const DOCS = fileURLToPath(new URL('../../docs/', import.meta.url));

// What is between these lines in the docs is written by a complete run.
const RESULTS = /(?<=<!-- results of `npm run bench` -->\n).*(?=<!-- end of the results -->)/s;

execFileSync('taskset', ['-cp', LOAD_CORE, String(process.pid)]);
const folder = mkdtempSync(join(tmpdir(), 'paw-bench-'));
const postgres = await startPostgres('shared_buffers=512MB');
const contenders = new Map<string, Contender>();
try {
  await compareAll();
} finally {
  await Promise.all([...contenders.values()].map(({ stop }) => stop()));
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function compareAll(): Promise<void> {
  if (options.only === 'validation') return console.log(measureValidation());
  if (options.only === 'hostile') return console.log(await measureHostile(IS_QUICK));
  if (options.only === 'citus') {
    const { PAW_TEST_CITUS_URL: url } = process.env;
    if (url === undefined) throw new Error('PAW_TEST_CITUS_URL is not set.');
    return console.log(await measureCitus(url, IS_QUICK));
  }
  progress('making the databases');
  const databases = {
    small: await makeBenchData(`sqlite:${join(folder, 'small.db')}`, SMALL),
    big: await makeBenchData(`sqlite:${join(folder, 'big.db')}`, BIG),
    postgres: await makeBenchData(postgres.urlOf('postgres'), POSTGRES_COUNT),
  };
  const results: Result[] = [];
  console.log(tableHead);
  for (const comparison of await comparisons(databases, await postgraphileCursor(databases.postgres))) {
    if (options.only && !comparison.name.includes(options.only)) continue;
    if (comparison.sameResponses) await checkResponses(comparison);
    for (const result of await compare(comparison)) {
      results.push(result);
      progress('');
      console.log(tableRow(result));
    }
  }
  if (options.only) return;
  const footprint = `${await measureFootprint(databases)}\n${measureValidation()}`;
  console.log(`\n${footprint}`);
  if (!IS_QUICK) await writeResults(results, footprint);
}

/** Writes the chart and the table into the docs. */
async function writeResults(results: readonly Result[], footprint: string): Promise<void> {
  for (const theme of themes) {
    writeFileSync(join(DOCS, `benchmarks-${theme}.svg`), `${await drawChart(results, theme)}\n`);
  }
  const file = join(DOCS, 'benchmarks.md');
  const table = [tableHead, ...results.map(tableRow), '', footprint, ''].join('\n');
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace(RESULTS, () => table),
  );
}

/** Returns the first cursor of PostGraphile, as a pattern of the others. */
async function postgraphileCursor(data: BenchData): Promise<string> {
  const [request] = workloads.postgraphilePages(data, 1, Buffer.from('[""]').toString('base64'));
  const { query, variables } = JSON.parse(request?.body ?? '');
  const body = JSON.stringify({ query, variables: { ...variables, after: null } });
  const answer = (await ask(await contender({ server: 'postgraphile', data }), {
    ...(request as Request),
    body,
  })) as { data: { allProjects: { edges: readonly { cursor: string }[] } } };
  return answer.data.allProjects.edges[0]?.cursor ?? '';
}

/** Measures the memory and the start time of the gateway, and returns them as a table. */
async function measureFootprint({ small, big }: Databases): Promise<string> {
  progress('memory');
  const onBig = (await contender({ server: 'gateway', data: big })).residentMb();
  const gateway = await contender({ server: 'gateway', data: small });
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

/** Returns the server of a side. The first call starts it. */
async function contender({ server, data: { url }, ...own }: Omit<Side, 'requests'>): Promise<Contender> {
  const key = `${server} ${url} ${own.syncMs} ${own.isLogging}`;
  const started = contenders.get(key) ?? (await startContender(server, url, own));
  contenders.set(key, started);
  return started;
}

async function checkResponses({ gateway, others }: Comparison): Promise<void> {
  for (const [n, request] of gateway.requests.slice(0, 50).entries()) {
    const response = await ask(await contender(gateway), request);
    for (const other of others) {
      const answer = await ask(await contender(other), other.requests[n] ?? request);
      if (!isDeepStrictEqual(answer, response)) {
        throw new Error(`${other.server} answers ${JSON.stringify(answer)}, not ${JSON.stringify(response)}`);
      }
    }
  }
}

async function compare({ name, gateway, others, target }: Comparison): Promise<readonly Result[]> {
  const sides = [gateway, ...others];
  for (const each of sides) await warmUp(each);
  const runs = new Map<Side, Run[]>(sides.map((each) => [each, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    progress(`${name}: round ${round + 1} of ${ROUNDS}`);
    // Each round starts with another side, so that no side always follows the same one.
    for (let n = 0; n < sides.length; n += 1) {
      const each = sides[(n + round) % sides.length];
      if (each !== undefined) runs.get(each)?.push(await measure(each, SECONDS));
    }
  }
  const ours = runs.get(gateway) ?? [];
  if (others.length === 0) return [{ workload: name, against: '', target, ours, theirs: [] }];
  return others.map((other) => ({
    workload: name,
    against: other.label,
    target: other.target,
    ours,
    theirs: runs.get(other) ?? [],
  }));
}

/** Warms a server up. Each of several documents is sent often enough to be compiled. */
async function warmUp(side: Side): Promise<void> {
  if (side.requests.length === DOCUMENTS) {
    await load(await contender(side), side.requests, { requests: 4 * DOCUMENTS });
  }
  await measure(side, WARM_UP_SECONDS);
}

async function measure(side: Side, seconds: number): Promise<Run> {
  const measured = await contender(side);
  const stopWriters = startLoad(measured, workloads.restUpdates(side.data), side.writers ?? 0);
  const run = await load(measured, side.requests, { seconds });
  await stopWriters();
  return run;
}

function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
  else if (text !== '') process.stderr.write(`${text}\n`);
}
