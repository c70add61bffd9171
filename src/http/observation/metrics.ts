import cluster from 'node:cluster';
import type { FastifyInstance } from 'fastify';
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { authenticatedPrincipal } from '../authorization.ts';
import {
  addTokenGauge,
  type PoolState,
  type PoolWait,
  type Sync,
  syncObserver,
  watchPool,
} from './database-metrics.ts';
import { failureOf, operationOf } from './request-record.ts';
import { routeNames } from './route-names.ts';

// Source: OpenTelemetry, semantic conventions for HTTP metrics.
const REQUEST_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** Metrics of the library that `promtool check metrics` rejects: gauges with the suffix of a counter. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/** The number of names of GraphQL operations that are counted separately. */
const MAX_OPERATION_NAMES = 100;

/** Counts and measures the work of one process. */
export type Metrics = {
  /** Adds the hooks that measure requests. Must be called before routes are added. */
  addHooks(app: FastifyInstance): void;
  /** Counts a sign-in. @param outcome `OK`, or the reason of the error */
  countSignIn(outcome: string): void;
  /** Counts expired rows that were deleted from a table. */
  countSwept(table: string, count: number): void;
  /** Measures a sync of SQLite's write-ahead log. @param commits the number of commits that it has put on disk */
  observeSync(sync: Sync): void;
  /**
   * Measures a pool of PostgreSQL connections.
   * @param state is called when the metrics are read
   * @returns the function that measures how long a connection was waited for
   */
  watchPool(state: () => PoolState): (wait: PoolWait) => void;
  /** Measures the number of valid tokens. @param count counts them; it is called at most once a minute */
  watchTokens(count: () => Promise<number>): void;
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
    watchPool: (state) => watchPool(registry, state),
    watchTokens: (count) => addTokenGauge(registry, count),
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
