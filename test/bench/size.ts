import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../support/postgres-server.ts';
import { type Contender, LOAD_CORE, startContender } from './contender.ts';
import { load, type Request, type Run } from './load.ts';
import { median } from './report.ts';
import { makeSizedDatabase, type Size, type SizedDatabase } from './size-data.ts';
import { PAGE } from './workloads.ts';

// Compares the latency of a page on a big PostgreSQL database with that on a small one. Both databases are on one
// server. The gateway runs on one core, PostgreSQL and the load generator on the other.

const { values: options } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });

const SMALL: Size = { accounts: 100, projects: 10_000, tokens: 1000 };
const BIG: Size = options.quick
  ? { accounts: 1000, projects: 100_000, tokens: 10_000 }
  : { accounts: 100_000, projects: 10_000_000, tokens: 1_000_000 };
const ROUNDS = options.quick ? 5 : 25;
const SECONDS = options.quick ? 0.5 : 1;
const WARM_UP_SECONDS = options.quick ? 1 : 20;
// About a tenth of what the gateway serves, so that the latency is not a waiting time.
const RATE = 300;
const WANTED = 1.2;

execFileSync('taskset', ['-cp', LOAD_CORE, String(process.pid)]);
const folder = mkdtempSync(join(tmpdir(), 'paw-bench-'));
chmodSync(folder, 0o755);
const postgres = await startPostgres('shared_buffers=4GB', 'max_wal_size=8GB', 'maintenance_work_mem=1GB');
const gateways: Contender[] = [];
try {
  const databases: SizedDatabase[] = [];
  for (const [name, size] of Object.entries({ small: SMALL, big: BIG })) {
    console.error(`filling a database with ${size.projects} projects`);
    const url = postgres.urlOf(name);
    await createDatabase(name);
    databases.push(await makeSizedDatabase(url, size, folder));
    gateways.push(await startContender('gateway', url));
  }
  const requests = databases.map(pages);
  const runs: Run[][] = [[], []];
  for (const [n, gateway] of gateways.entries()) {
    await load(gateway, requests[n] ?? [], { seconds: WARM_UP_SECONDS });
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const n of round % 2 === 0 ? [0, 1] : [1, 0]) {
      const [gateway, sent] = [gateways[n] as Contender, requests[n] ?? []];
      runs[n]?.push(await load(gateway, sent, { seconds: SECONDS, rate: RATE }));
    }
  }
  report(runs as [Run[], Run[]], databases[1] as SizedDatabase);
  for (const [n, gateway] of gateways.entries()) {
    const { rate, cpuMicros } = await load(gateway, requests[n] ?? [], { seconds: WARM_UP_SECONDS / 2 });
    console.log(
      `full load, ${n === 0 ? 'small' : 'big'}: ${Math.round(rate)}/s, ${Math.round(cpuMicros)} us`,
    );
  }
} finally {
  await Promise.all(gateways.map(({ stop }) => stop()));
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function createDatabase(name: string): Promise<void> {
  const { Client } = await import('pg');
  const client = new Client({ connectionString: postgres.urlOf('postgres') });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
}

/** Returns requests for pages of all tenants: the first one, and those in the middle of the list. */
function pages({ tenants }: SizedDatabase): readonly Request[] {
  return tenants.flatMap(({ token, cursors }) =>
    [null, ...cursors.slice(0, 3)].map((after) => ({
      method: 'POST' as const,
      path: '/graphql',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: PAGE, variables: { first: 10, after } }),
    })),
  );
}

function report([small, big]: [Run[], Run[]], { bytesPerRow }: SizedDatabase): void {
  for (const key of ['p50', 'p99'] as const) {
    const ratio = median(big.map((run, n) => run[key] / (small[n] as Run)[key]));
    const milliseconds = [small, big].map((runs) => median(runs.map((run) => run[key])).toFixed(2));
    console.log(
      `${key}: ${milliseconds.join(' and ')} ms, ratio ${ratio.toFixed(2)} (wanted: at most ${WANTED})`,
    );
  }
  for (const [table, bytes] of Object.entries(bytesPerRow)) console.log(`${table}: ${bytes} bytes per row`);
}
