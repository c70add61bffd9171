import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';
import type { OpenSettings } from '../storage/open-database.ts';

const SYNC_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

const COMMITS_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256];

// Source: OpenTelemetry, semantic conventions for database metrics, and a shorter one for SQLite.
const STATEMENT_BUCKETS = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

type Observers = Required<Pick<OpenSettings, 'onPool' | 'onStatement' | 'onSync'>>;

export function databaseMetrics(registry: Registry): Observers {
  const statements = new Histogram({
    name: 'db_client_operation_duration_seconds',
    help: 'The time from the call of a read, a write or a transaction to its result, with all waits.',
    labelNames: ['db_operation_name', 'error_type'],
    buckets: STATEMENT_BUCKETS,
    registers: [registry],
  });
  return {
    onStatement(kind, seconds, outage) {
      statements.observe({ db_operation_name: kind, ...(outage && { error_type: outage }) }, seconds);
    },
    onSync: syncMetrics([registry]),
    onPool: poolMetrics([registry]),
  };
}

function syncMetrics(registers: [Registry]): Observers['onSync'] {
  const syncs = new Histogram({
    name: 'paw_sqlite_sync_duration_seconds',
    help: "The duration of a sync of SQLite's write-ahead log.",
    buckets: SYNC_BUCKETS,
    registers,
  });
  const commitCounts = new Histogram({
    name: 'paw_sqlite_commits_per_sync',
    help: "The number of commits that one sync of SQLite's write-ahead log has put on disk.",
    buckets: COMMITS_BUCKETS,
    registers,
  });
  const logSize = new Gauge({
    name: 'paw_sqlite_log_bytes',
    help: "The size of SQLite's write-ahead log after its last sync.",
    registers,
  });
  return ({ seconds, commits, logBytes }) => {
    syncs.observe(seconds);
    commitCounts.observe(commits);
    logSize.set(logBytes);
  };
}

function poolMetrics(registers: [Registry]): Observers['onPool'] {
  return (state) => {
    new Gauge({
      name: 'paw_postgres_connections',
      help: 'Connections of the PostgreSQL pool, by state.',
      labelNames: ['state'],
      registers,
      collect() {
        const { used, idle } = state();
        this.set({ state: 'used' }, used);
        this.set({ state: 'idle' }, idle);
      },
    });
    new Gauge({
      name: 'paw_postgres_waiting',
      help: 'Transactions and batches of statements that wait for a PostgreSQL connection, and not for a row.',
      registers,
      collect() {
        this.set(state().waiting);
      },
    });
    const waits = new Histogram({
      name: 'paw_postgres_wait_duration_seconds',
      help: 'The time that a transaction or a batch of statements waited for a PostgreSQL connection, without waits for rows.',
      buckets: STATEMENT_BUCKETS,
      registers,
    });
    const timeouts = new Counter({
      name: 'paw_postgres_wait_timeouts_total',
      help: 'Transactions and batches of statements that got no PostgreSQL connection in time.',
      registers,
    });
    return ({ seconds, isTimeout }) => {
      waits.observe(seconds);
      if (isTimeout) timeouts.inc();
    };
  };
}

type MeasuredGauge = {
  readonly name: string;
  readonly help: string;
  /** The label of the values; undefined for one value, whose key is not used. */
  readonly label?: string;
  readonly measure: () => Promise<Iterable<readonly [label: string, value: number | boolean]>>;
};

/**
 * Adds a gauge that is measured in the background, so an outage does not delay the metrics. It has no value before, and
 * if the measurement fails.
 *
 * @returns a function that measures, unless that was less than an interval ago; the metrics call it without waiting for it
 */
export function addMeasuredGauge(
  registry: Registry,
  intervalMs: number,
  { name, help, label, measure }: MeasuredGauge,
): () => Promise<void> {
  let measuredAt = Number.NEGATIVE_INFINITY;
  const labelNames = label === undefined ? [] : [label];
  const gauge = new Gauge({ name, help, labelNames, registers: [registry], collect: () => void update() });
  // A reset would set the value without labels to 0.
  const clear = () => (label === undefined ? gauge.remove() : gauge.reset());
  clear();
  async function update(): Promise<void> {
    const now = performance.now();
    if (now - measuredAt < intervalMs) return;
    measuredAt = now;
    const values = await measure().catch(() => []);
    clear();
    for (const [key, value] of values) gauge.set(label === undefined ? {} : { [label]: key }, Number(value));
  }
  return update;
}
