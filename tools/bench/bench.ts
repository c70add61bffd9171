import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { startPostgres } from '../../test/support/postgres-server.ts';
import { IS_QUICK } from './comparisons.ts';
import { ALL_CORES, LOAD_CORE } from './contender.ts';
import { measureFiles } from './files.ts';
import { measureGrowth } from './growth.ts';
import { measureGuard, prepareOrdinary } from './guard.ts';
import { measureHostile } from './hostile.ts';
import { measureInstances } from './instances.ts';
import { Contenders } from './measure.ts';
import { heapTable, type Result, tableOf } from './report.ts';

// Compares the gateway with other servers on the same database. Each server is a separate process
// on one core. The load generator and PostgreSQL run on another core. Each reported ratio is the
// median of the ratios within each round, because the speed of the machine drifts between rounds.
// A run that is not quick writes the results into the docs.

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    against: { type: 'string' },
    rows: { type: 'string', default: '' },
  },
});

const ROUNDS = IS_QUICK ? 5 : 15;

const PAGE = new URL('../../docs/benchmarks.md', import.meta.url);

const RESULTS = /(?<=<!-- ordinary requests -->\n).*(?=\n<!-- end of ordinary requests -->)/s;

const cores = options.only === 'instances' ? ALL_CORES : LOAD_CORE;
execFileSync('taskset', ['-cp', cores, String(process.pid)]);
const folder = mkdtempSync(join(tmpdir(), 'paw-bench-'));
const postgres = await startPostgres('shared_buffers=512MB', 'autovacuum=off');
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
      return measureOrdinary();
    case 'guard':
      return guard();
    case 'files':
      console.log(await measureFiles('SQLite', `sqlite:${join(folder, 'files.db')}`));
      return console.log(`\n${await measureFiles('PostgreSQL', await workplace.createDatabase('files'))}`);
    case 'hostile':
      return console.log(await measureHostile(IS_QUICK));
    case 'instances':
      return console.log(
        await measureInstances({
          SQLite: `sqlite:${join(folder, 'instances.db')}`,
          PostgreSQL: await workplace.createDatabase('instances'),
        }),
      );
    case 'growth':
      return console.log(
        tableOf(
          await measureGrowth(
            contenders,
            {
              SQLite: [1, 2, 3].map((n) => `sqlite:${join(folder, `growth${n}.db`)}`),
              PostgreSQL: await Promise.all([1, 2, 3].map((n) => workplace.createDatabase(`growth${n}`))),
            },
            ROUNDS,
          ),
        ),
      );
    default:
      throw new Error(`--only takes guard, files, hostile, instances or growth, and not ${only}.`);
  }
}

async function guard(): Promise<void> {
  const { report, slower } = await measureGuard(
    contenders,
    { ...workplace, rows: options.rows },
    options.against,
  );
  console.log(report);
  if (slower.length === 0) return;
  console.error(
    `Slower than the other commit, or with more bytes promoted, in two runs: ${slower.join('; ')}`,
  );
  process.exitCode = 1;
}

async function measureOrdinary(): Promise<void> {
  const results: Result[] = [];
  for (const comparison of await prepareOrdinary(contenders, { ...workplace, rows: options.rows })) {
    if (comparison.sameResponses) await contenders.checkResponses(comparison);
    results.push(...(await contenders.compare(comparison, ROUNDS)));
  }
  const text = `${tableOf(results)}\n\n${heapTable(results)}`;
  console.log(text);
  if (IS_QUICK || options.rows !== '') return;
  writeFileSync(
    PAGE,
    readFileSync(PAGE, 'utf8').replace(RESULTS, () => text),
  );
}
