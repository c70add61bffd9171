import cluster from 'node:cluster';
import type { Config } from './config.ts';
import type { Metrics } from './http/observation/metrics.ts';
import type { MetricsServer } from './http/observation/metrics-server.ts';
import { VERSION } from './version.ts';

/** Returns the metrics of this process, if there is a port for them. */
export async function openMetrics({ metricsPort }: Config): Promise<Metrics | undefined> {
  if (metricsPort === undefined) return undefined;
  // Imported on demand: a start without metrics is faster.
  const { createMetrics } = await import('./http/observation/metrics.ts');
  return createMetrics(VERSION);
}

/** Starts the server for metrics. Those of workers are served by the primary. */
export async function listenForMetrics(
  { host, metricsPort }: Config,
  metrics: Metrics | undefined,
): Promise<MetricsServer | undefined> {
  if (metricsPort === undefined || metrics === undefined || cluster.isWorker) return undefined;
  const { startMetricsServer } = await import('./http/observation/metrics-server.ts');
  return startMetricsServer(host, metricsPort, metrics.read);
}
