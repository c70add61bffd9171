import cluster, { type Worker } from 'node:cluster';
import { fileURLToPath } from 'node:url';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from './config.ts';
import type { Server, ServerInfo } from './server.ts';

/** Thrown if a worker could not start. The worker itself has printed its error. */
export class WorkerStartError extends Error {}

/** The message of the primary on which a worker completes its requests and exits. */
export const STOP_MESSAGE = 'stop';

const MAIN = fileURLToPath(new URL('./main.js', import.meta.url));

// The minimum time between two starts of a worker. It limits the load by workers that exit immediately.
const RESTART_INTERVAL_MS = 1000;

/**
 * Runs the server in several processes, the workers, on one port. This process, the primary,
 * distributes the connections round-robin, and replaces workers that exit.
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
  cluster.setupPrimary({ exec: MAIN, args: ['serve'], stdio: ['ignore', logTo, 'inherit', 'ipc'] });
  const settings = { DATABASE_URL: config.databaseUrl, LOG_LEVEL: config.logLevel };
  const workers = new Set<Worker>();
  const restarts = new Set<NodeJS.Timeout>();

  // The first worker starts alone, so that an error which affects all workers is printed once.
  let info: ServerInfo | undefined;
  info = await waitUntilListening(start());
  await Promise.allSettled(Array.from({ length: config.workers - 1 }, () => waitUntilListening(start())));

  function start(): Worker {
    const started = performance.now();
    const worker = cluster.fork(settings);
    workers.add(worker);
    closeConnectionInTransfer(worker);
    worker.once('exit', (code, signal) => {
      workers.delete(worker);
      if (info === undefined || stopping.aborted) return;
      logger.error({ worker: worker.process.pid, code, signal }, 'worker exited and is replaced');
      const timer = setTimeout(
        () => {
          restarts.delete(timer);
          start();
        },
        Math.max(0, started + RESTART_INTERVAL_MS - performance.now()),
      );
      restarts.add(timer);
    });
    return worker;
  }

  return {
    ...info,
    // A worker that fails ends, and is replaced.
    failed: new Promise(() => {}),
    async stop() {
      for (const timer of restarts) clearTimeout(timer);
      await Promise.all([...workers].map(stopWorker));
    },
  };
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
    if (worker.isConnected()) worker.send(STOP_MESSAGE);
  });
}

/**
 * Closes the connection that is being transferred to a worker if the worker exits. Node transfers
 * one connection at a time, and closes its own handle after the worker has confirmed it. If the
 * worker exits before, Node does not close the handle, and the client would wait forever.
 */
function closeConnectionInTransfer(worker: Worker): void {
  const { send } = worker.process;
  let connection: unknown;
  Object.assign(worker.process, {
    send(...args: readonly unknown[]): unknown {
      connection = args[1] ?? connection;
      return Reflect.apply(send, worker.process, args);
    },
  });
  worker.once('exit', () => {
    // After a clean exit the transfer is complete, and the handle may already be reused.
    if (!worker.exitedAfterDisconnect) (connection as { close(): void } | undefined)?.close();
  });
}
