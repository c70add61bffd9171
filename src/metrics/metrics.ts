import { Counter, collectDefaultMetrics, Gauge, Registry } from '@prometheus-io/client';
import type { FastifyInstance } from 'fastify';
import type { DatabaseState } from '../http/log/database-monitor.ts';
import { addMeasuredGauge, databaseMetrics } from './database-metrics.ts';
import { type MetricsServer, startMetricsServer } from './metrics-server.ts';
import { addRequestMetrics } from './request-metrics.ts';

/** Metrics of the library that `promtool check metrics` rejects: gauges named like counters, and names with a type. */
const MISNAMED = [
  ...['handles', 'requests', 'resources'].map((what) => `nodejs_active_${what}_total`),
  ...['histogram', 'summary'].map((type) => `nodejs_eventloop_utilization_${type}`),
];

// The longest time of a timer. The library has one for the utilization of the event loop, which is not reported.
const NEVER_MS = 2 ** 31 - 1;

export class Metrics {
  readonly #registry = new Registry();
  readonly signIns = new Counter({
    name: 'paw_sign_ins_total',
    help: 'Sign-ins, by OK or the reason of the error.',
    labelNames: ['outcome'],
    registers: [this.#registry],
  });
  readonly swept = new Counter({
    name: 'paw_swept_rows_total',
    help: 'Expired rows and old audit events that were deleted, by table.',
    labelNames: ['table'],
    registers: [this.#registry],
  });
  readonly #intervalMs: number;
  /** Measures the database: options of `openDatabase`. */
  readonly database = databaseMetrics(this.#registry);

  /** @param intervalMs the least time between two measurements of the database */
  constructor(version: string, intervalMs: number) {
    this.#intervalMs = intervalMs;
    collectDefaultMetrics({ register: this.#registry, eventLoopUtilizationTimeout: NEVER_MS });
    for (const name of MISNAMED) this.#registry.removeSingleMetric(name);
    new Gauge({
      name: 'paw_build_info',
      help: 'The version of the program and of Node. The value is always 1.',
      labelNames: ['version', 'node'],
      registers: [this.#registry],
    }).set({ version, node: process.version }, 1);
  }

  /** Adds the hook that measures requests. Must be called before routes are added. */
  addRequests(app: FastifyInstance): void {
    addRequestMetrics(app, this.#registry);
  }

  /** Measures the number of valid tokens. @param count counts them; it is called at most once an interval */
  addTokens(count: () => Promise<number>): void {
    addMeasuredGauge(this.#registry, this.#intervalMs, {
      name: 'paw_tokens',
      help: 'Valid tokens in the database, counted once a minute up to 100,000.',
      measure: async () => [['', await count()]],
    });
  }

  /** Measures the number of account tokens in use that end soon. @param count counts them; it is called at most once an interval */
  addEndingTokens(count: () => Promise<number>): void {
    addMeasuredGauge(this.#registry, this.#intervalMs, {
      name: 'paw_tokens_ending',
      help: 'Account tokens that were used within a week and end within one, counted once a minute up to 10,000.',
      measure: async () => [['', await count()]],
    });
  }

  /**
   * Measures the fewest addresses that an account has left. A network that no account ever got one for has no value.
   *
   * @param find returns them by network, at most once an interval
   */
  addAddresses(find: () => Promise<ReadonlyMap<string, number>>): void {
    addMeasuredGauge(this.#registry, this.#intervalMs, {
      name: 'paw_addresses_left',
      help: 'Addresses that are left for new wallets, the fewest of any account, read once a minute.',
      label: 'network',
      measure: find,
    });
  }

  /**
   * Measures whether each Citus node accepts connections. There is no value on other engines.
   *
   * @param find returns it by their names, immediately and then at most once an interval
   */
  addNodes(find: () => Promise<ReadonlyMap<string, boolean>>): void {
    const update = addMeasuredGauge(this.#registry, this.#intervalMs, {
      name: 'paw_citus_node_up',
      help: 'Whether a Citus node accepts connections, checked once a minute.',
      label: 'node',
      measure: find,
    });
    void update();
  }

  /** Returns a function that sets the results of the database check. There is no value before, or without a result. */
  addDatabaseCheck(): (state: DatabaseState) => void {
    const registers = [this.#registry];
    const connection = new Gauge({
      name: 'paw_postgres_connection_up',
      help: 'Whether a new connection to PostgreSQL could be opened, tried once a minute.',
      registers,
    });
    const clock = new Gauge({
      name: 'paw_clock_difference_seconds',
      help: 'By how much the system clock is ahead of the PostgreSQL clock, read once a minute.',
      registers,
    });
    connection.remove();
    clock.remove();
    return ({ isUp, aheadSeconds }) => {
      connection.set(Number(isUp));
      if (aheadSeconds === undefined) clock.remove();
      else clock.set(aheadSeconds);
    };
  }

  addBusiestAccount(busiest: { readonly share: number }): void {
    new Gauge({
      name: 'paw_busiest_account_share',
      help: 'The largest share of one account in the requests of the last minute; 0 if there were few.',
      registers: [this.#registry],
      collect() {
        this.set(busiest.share);
      },
    });
  }

  /** Serves the metrics on a separate port. */
  listen(host: string, port: number): Promise<MetricsServer> {
    return startMetricsServer(host, port, this.#registry);
  }
}
