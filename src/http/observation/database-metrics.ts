import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

const SYNC_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

const COMMITS_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256];

const WAIT_BUCKETS = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

const TOKEN_COUNT_INTERVAL_MS = 60_000;

/** A sync of SQLite's write-ahead log, and the size of the log after it. */
export type Sync = { readonly seconds: number; readonly commits: number; readonly logBytes: number };

/** The number of connections of a pool in each state, and of statements that wait for one. */
export type PoolState = { readonly used: number; readonly idle: number; readonly waiting: number };

/** How long a connection of a pool was waited for, and whether none was there in time. */
export type PoolWait = { readonly seconds: number; readonly isTimeout: boolean };

/** Adds the metrics of the syncs of SQLite's write-ahead log. Returns the function that measures one. */
export function syncObserver(registry: Registry): (sync: Sync) => void {
  const registers = [registry];
  const durations = new Histogram({
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
  const size = new Gauge({
    name: 'paw_sqlite_log_bytes',
    help: "The size of SQLite's write-ahead log after its last sync.",
    // All workers write to the same log.
    aggregator: 'max',
    registers,
  });
  return ({ seconds, commits, logBytes }) => {
    durations.observe(seconds);
    commitCounts.observe(commits);
    size.set(logBytes);
  };
}

/**
 * Adds the metrics of a pool of PostgreSQL connections. See `Metrics.watchPool`.
 *
 * @param state is called when the metrics are read
 */
export function watchPool(registry: Registry, state: () => PoolState): (wait: PoolWait) => void {
  const registers = [registry];
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
    help: 'Transactions and batches of statements that wait for a PostgreSQL connection.',
    registers,
    collect() {
      this.set(state().waiting);
    },
  });
  return poolWaitObserver(registry);
}

function poolWaitObserver(registry: Registry): (wait: PoolWait) => void {
  const durations = new Histogram({
    name: 'paw_postgres_wait_duration_seconds',
    help: 'The time that a transaction or a batch of statements has waited for a PostgreSQL connection.',
    buckets: WAIT_BUCKETS,
    registers: [registry],
  });
  const timeouts = new Counter({
    name: 'paw_postgres_wait_timeouts_total',
    help: 'Transactions and batches of statements that got no PostgreSQL connection in time.',
    registers: [registry],
  });
  return ({ seconds, isTimeout }) => {
    durations.observe(seconds);
    if (isTimeout) timeouts.inc();
  };
}

/** Adds the number of valid tokens. It is counted in the background, so that an outage does not delay the metrics. */
export function addTokenGauge(registry: Registry, count: () => Promise<number>): void {
  let countedAt = Number.NEGATIVE_INFINITY;
  new Gauge({
    name: 'paw_tokens',
    help: 'Valid tokens in the database, counted once a minute up to 100,000.',
    // All workers count the same tokens.
    aggregator: 'max',
    registers: [registry],
    collect() {
      const now = performance.now();
      if (now - countedAt < TOKEN_COUNT_INTERVAL_MS) return;
      if (countedAt === Number.NEGATIVE_INFINITY) this.remove();
      countedAt = now;
      count().then(
        (tokens) => this.set(tokens),
        () => this.remove(),
      );
    },
  });
}
