import cluster from 'node:cluster';
import type { FastifyInstance } from 'fastify';
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Config } from './config.ts';
import { type MetricsServer, startMetricsServer } from './http/observation/metrics-server.ts';
import { addRequestMetrics } from './http/observation/request-metrics.ts';
import { addTokenGauge, databaseMetrics } from './storage/metrics.ts';
import { VERSION } from './version.ts';

/** Metrics of the library that `promtool check metrics` rejects: gauges with the suffix of a counter. */
const MISNAMED = ['handles', 'requests', 'resources'].map((what) => `nodejs_active_${what}_total`);

/** The metrics of one process. Those of a worker are read by the primary. */
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
  /** Measures the database: options of `openDatabase`. */
  readonly database = databaseMetrics(this.#registry);

  constructor() {
    if (cluster.isWorker) {
      // The constructor registers the listener for the requests of the primary.
      new AggregatorRegistry();
      AggregatorRegistry.setRegistries([this.#registry]);
    }
    collectDefaultMetrics({ register: this.#registry });
    for (const name of MISNAMED) this.#registry.removeSingleMetric(name);
    new Gauge({
      name: 'paw_build_info',
      help: 'The version of the program and of Node. The value is always 1.',
      labelNames: ['version', 'node'],
      aggregator: 'first',
      registers: [this.#registry],
    }).set({ version: VERSION, node: process.version }, 1);
  }

  /** Adds the hook that measures requests. Must be called before routes are added. */
  addRequests(app: FastifyInstance): void {
    addRequestMetrics(app, this.#registry);
  }

  /** Measures the number of valid tokens. @param count counts them; it is called at most once a minute */
  addTokens(count: () => Promise<number>): void {
    addTokenGauge(this.#registry, count);
  }

  /** Serves the metrics on a port of their own, except for those of a worker. */
  async listen({ host, metricsPort }: Config): Promise<MetricsServer | undefined> {
    if (metricsPort === undefined || cluster.isWorker) return undefined;
    return startMetricsServer(host, metricsPort, () => this.#registry.metrics());
  }
}
