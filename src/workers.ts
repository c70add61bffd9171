import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from './config.ts';
import type { MetricsServer } from './http/observation/metrics-server.ts';
import type { Server, ServerInfo } from './server.ts';

/** Thrown if a worker could not start. The worker itself has printed its error. */
export class WorkerStartError extends Error {}

/** The message of the primary on which a worker completes its requests and exits. */
export const STOP_MESSAGE = 'stop';

const MAIN = fileURLToPath(new URL('./main.js', import.meta.url));

// The minimum time between two starts of a worker. It limits the load by workers that exit immediately.
const RESTART_INTERVAL_MS = 1000;

/**
 * Whether several processes can listen on one port, so that the operating system distributes the connections
 * (SO_REUSEPORT). On other systems, the primary passes each connection to a worker.
 */
export const HAS_REUSE_PORT = !['darwin', 'win32'].includes(process.platform);

/**
 * Runs the server in several processes, the workers, on one port. This process, the primary, replaces workers that
 * exit.
 *
 * @param logTo the file descriptor of the workers' log
 * @param stopping the signal after which workers are no longer replaced
 * @throws WorkerStartError if the first worker can't start
 */
export async function startWorkers(
  config: Config,
  logTo: number,
  logger: Pick<FastifyBaseLogger, 'error'>,
  stopping: AbortSignal,
): Promise<Server> {
  await checkPort(config);
  let isStarted = false;
  const metricsServer = await listenForMetrics(config, () => isStarted);
  cluster.setupPrimary({ exec: MAIN, args: ['serve'], stdio: ['ignore', logTo, 'inherit', 'ipc'] });
  const workers = new Set<Worker>();

  // The first worker starts alone, so that an error which affects all workers is printed once.
  let info: ServerInfo | undefined;
  info = await waitUntilListening(start());
  await Promise.allSettled(Array.from({ length: config.workers - 1 }, () => waitUntilListening(start())));
  isStarted = true;

  function start(): Worker {
    const started = performance.now();
    const worker = cluster.fork(info && { PORT: info.port });
    workers.add(worker);
    worker.once('exit', (code, signal) => {
      workers.delete(worker);
      if (info === undefined || stopping.aborted) return;
      logger.error({ worker: worker.process.pid, code, signal }, 'worker exited and is replaced');
      const wait = Math.max(0, started + RESTART_INTERVAL_MS - performance.now());
      delay(wait, undefined, { signal: stopping }).then(start, () => {});
    });
    return worker;
  }

  return {
    ...info,
    // A worker that fails ends, and is replaced.
    failed: new Promise(() => {}),
    async stop() {
      await Promise.all([...workers].map(stopWorker));
      await metricsServer?.close();
    },
  };
}

/**
 * Serves the sum of the metrics of all workers.
 *
 * @param isStarted returns whether all workers were started; until then they are not asked
 */
async function listenForMetrics(
  { host, metricsPort }: Config,
  isStarted: () => boolean,
): Promise<MetricsServer | undefined> {
  if (metricsPort === undefined) return undefined;
  const [{ AggregatorRegistry }, { startMetricsServer }] = await Promise.all([
    import('prom-client'),
    import('./http/observation/metrics-server.ts'),
  ]);
  const registry = new AggregatorRegistry();
  return startMetricsServer(host, metricsPort, async () => {
    if (!isStarted()) throw new Error('The workers are starting.');
    return registry.clusterMetrics();
  });
}

/** Checks that no other process listens on the port: workers could share it with another gateway of the same user. */
async function checkPort({ host, port }: Config): Promise<void> {
  const server = createServer().listen({ host, port });
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
}

/** Waits for the message that a worker sends when it listens. @throws WorkerStartError if the worker exits before */
function waitUntilListening(worker: Worker): Promise<ServerInfo> {
  return new Promise((resolve, reject) => {
    worker.once('message', (message: ServerInfo) => resolve(message));
    worker.once('exit', () => reject(new WorkerStartError('A worker could not start.')));
  });
}

/** Stops a worker by a message. A second signal would end it immediately, and it may already have received the first. */
function stopWorker(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    worker.once('exit', () => resolve());
    const sendStop = () => {
      // The worker may have ended in the meantime.
      if (worker.isConnected()) worker.send(STOP_MESSAGE, () => {});
    };
    sendStop();
    // A worker that is starting loses messages until it has a listener. It sends its own message later.
    worker.once('message', sendStop);
  });
}
