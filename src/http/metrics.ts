import cluster from 'node:cluster';
import type { FastifyInstance } from 'fastify';
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { authenticatedPrincipal } from './authorization.ts';
import { failureOf, operationOf } from './request-record.ts';
import { routeNames } from './route-names.ts';

// Source: OpenTelemetry, semantic conventions for HTTP metrics.
const REQUEST_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

const SYNC_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

const WAIT_BUCKETS = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

const TOKEN_COUNT_INTERVAL_MS = 60_000;

/** Metrics of the library that `promtool check metrics` rejects: gauges with the suffix of a counter. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

const COMMITS_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/** The number of names of GraphQL operations that are counted separately. */
const MAX_OPERATION_NAMES = 100;

/** The number of connections of a pool in each state, and of statements that wait for one. */
type PoolState = { readonly used: number; readonly idle: number; readonly waiting: number };

/** How long a connection of a pool was waited for, and whether none was there in time. */
type PoolWait = { readonly seconds: number; readonly isTimeout: boolean };

/** Counts and measures what one process does. */
export type Metrics = {
  /** Adds the hooks that measure requests. Must be called before routes are added. */
  addHooks(app: FastifyInstance): void;
  /** Counts a sign-in. @param outcome `OK`, or the reason of the error */
  countSignIn(outcome: string): void;
  /** Counts expired rows that were deleted from a table. */
  countSwept(table: string, count: number): void;
  /** Measures a sync of SQLite's write-ahead log. @param commits the number of commits that it has put on disk */
  observeSync(sync: { readonly seconds: number; readonly commits: number; readonly logBytes: number }): void;
  /**
   * Measures a pool of PostgreSQL connections.
   * @param state is called when the metrics are read
   * @returns the function that measures how long a connection was waited for
   */
  watchPool(state: () => PoolState): (wait: PoolWait) => void;
  /** Measures the number of valid tokens. @param count counts them; it is called at most once a minute */
  watchTokens(count: () => Promise<number>): void;
  /** Measures the queue of passwords. @param waiting is called when the metrics are read */
  watchPasswordQueue(waiting: () => number): void;
  /** Returns the metrics in the text format of Prometheus. */
  read(): Promise<string>;
};

/** Returns the metrics of this process. A worker also sends them to the primary when it asks. */
export function createMetrics(version: string): Metrics {
  const registry = new Registry();
  const registers = [registry];
  if (cluster.isWorker) {
    // The constructor registers the listener for the questions of the primary.
    new AggregatorRegistry();
    AggregatorRegistry.setRegistries(registers);
  }
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  new Gauge({
    name: 'paw_build_info',
    help: 'The version of the program and of Node. The value is always 1.',
    labelNames: ['version', 'node'],
    aggregator: 'first',
    registers,
  }).set({ version, node: process.version }, 1);
  const signIns = new Counter({
    name: 'paw_sign_ins_total',
    help: 'Sign-ins, by OK or the reason of the error.',
    labelNames: ['outcome'],
    registers,
  });
  const swept = new Counter({
    name: 'paw_swept_rows_total',
    help: 'Expired rows and old audit events that were deleted, by table.',
    labelNames: ['table'],
    registers,
  });

  return {
    addHooks: (app) => addRequestHooks(app, registry),
    countSignIn: (outcome) => signIns.inc({ outcome }),
    countSwept: (table, count) => swept.inc({ table }, count),
    observeSync: syncObserver(registry),
    watchPool(state) {
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
    },
    watchTokens: (count) => addTokenGauge(registry, count),
    watchPasswordQueue(waiting) {
      new Gauge({
        name: 'paw_password_queue_length',
        help: 'Wallet passwords that wait to be hashed.',
        registers,
        collect() {
          this.set(waiting());
        },
      });
    },
    read: () => registry.metrics(),
  };
}

/** Measures requests. The label sets are kept, so that none is created for each request. */
function addRequestHooks(app: FastifyInstance, registry: Registry): void {
  const registers = [registry];
  const durations = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'The time from the headers of a request to the end of its response. Without a route, the path is unknown.',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    buckets: REQUEST_BUCKETS,
    registers,
  });
  const errors = new Counter({
    name: 'paw_errors_total',
    help: 'Failed requests, by the reason of the first error.',
    labelNames: ['reason'],
    registers,
  });
  // Added to the counter when the metrics are read, because that takes longer than to count here.
  const operationCounts = new Map<string, number>();
  new Counter({
    name: 'paw_graphql_operations_total',
    help: `GraphQL operations, by name: the first ${MAX_OPERATION_NAMES} names of requests with a valid token, or "other".`,
    labelNames: ['operation'],
    registers,
    collect() {
      for (const [operation, count] of operationCounts) this.inc({ operation }, count);
      operationCounts.clear();
    },
  });
  const routeOf = routeNames(app);
  const durationOf = kept((method: string) =>
    kept((route: string) =>
      kept((status: number) =>
        durations.labels({
          http_request_method: method,
          http_route: route,
          http_response_status_code: String(status),
        }),
      ),
    ),
  );
  const errorsOf = kept((reason: string) => errors.labels({ reason }));
  const names = new Set<string>();

  app.addHook('onResponse', (request, reply, done) => {
    durationOf(request.method)(routeOf(request) ?? '')(reply.statusCode).observe(reply.elapsedTime / 1000);
    const failure = failureOf(request);
    if (failure !== undefined) errorsOf(failure.reason).inc();
    const name = operationOf(request)?.name;
    if (name !== undefined) {
      // Otherwise anybody could use up the names.
      if (names.size < MAX_OPERATION_NAMES && authenticatedPrincipal(request)) names.add(name);
      const operation = names.has(name) ? name : 'other';
      operationCounts.set(operation, (operationCounts.get(operation) ?? 0) + 1);
    }
    done();
  });
}

function syncObserver(registry: Registry): Metrics['observeSync'] {
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
function addTokenGauge(registry: Registry, count: () => Promise<number>): void {
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

/** Returns a function that keeps its results. The number of different arguments must be bounded. */
function kept<Key, Value>(create: (key: Key) => Value): (key: Key) => Value {
  const values = new Map<Key, Value>();
  return (key) => {
    const known = values.get(key);
    if (known !== undefined) return known;
    const value = create(key);
    values.set(key, value);
    return value;
  };
}
