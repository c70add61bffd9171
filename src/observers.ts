import cluster from 'node:cluster';
import type { Config } from './config.ts';
import type { Metrics } from './http/observation/metrics.ts';
import type { MetricsServer } from './http/observation/metrics-server.ts';
import { isSdkLoaded } from './tracing/sdk.ts';
import type { Tracing } from './tracing/tracing.ts';
import { VERSION } from './version.ts';

/** The metrics and the traces of this process; undefined if they are off. */
export type Observers = { readonly metrics: Metrics | undefined; readonly tracing: Tracing | undefined };

/** Returns the metrics and the traces of this process. */
export async function openObservers(config: Config): Promise<Observers> {
  return { metrics: await openMetrics(config), tracing: await openTracing() };
}

/** Returns the metrics of this process, if there is a port for them. */
async function openMetrics({ metricsPort }: Config): Promise<Metrics | undefined> {
  if (metricsPort === undefined) return undefined;
  // Imported on demand: a start without metrics is faster.
  const { createMetrics } = await import('./http/observation/metrics.ts');
  return createMetrics(VERSION);
}

/** Returns the traces of this process, if an SDK of OpenTelemetry is loaded. Nothing else calls its API. */
async function openTracing(): Promise<Tracing | undefined> {
  if (!isSdkLoaded()) return undefined;
  const { createTracing } = await import('./tracing/tracing.ts');
  return createTracing(VERSION);
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
