import cluster, { type Worker } from 'node:cluster';
import { fileURLToPath } from 'node:url';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from './config.ts';
import type { Listening, Server } from './server.ts';

/** A worker could not start. It has said why itself. */
export class WorkerFailed extends Error {}

/** What a worker is told, upon which it answers what it has been asked and ends. */
export const STOP = 'stop';

const MAIN = fileURLToPath(new URL('./main.js', import.meta.url));

// So that workers which die as soon as they start do not keep the machine busy.
const RESTART_INTERVAL_MS = 1000;

/**
 * Runs the server in several processes, the workers, on one port. This process hands
 * them the connections in turn, and starts another for each that dies.
 *
 * @param logTo the file descriptor that the workers' log goes to
 * @param stopping tells that no worker is to be replaced any more
 * @throws WorkerFailed if none can start
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

  // One is tried before the others, so that what keeps them all from starting is said once.
  let listening: Listening | undefined;
  listening = await listeningOf(start());
  await Promise.allSettled(Array.from({ length: config.workers - 1 }, () => listeningOf(start())));

  function start(): Worker {
    const started = performance.now();
    const worker = cluster.fork(settings);
    workers.add(worker);
    closeWhatIsInTransit(worker);
    worker.once('exit', (code, signal) => {
      workers.delete(worker);
      if (listening === undefined || stopping.aborted) return;
      logger.error({ worker: worker.process.pid, code, signal }, 'a worker has ended, and is replaced');
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
    ...listening,
    // A worker that fails ends, and is replaced.
    failed: new Promise(() => {}),
    async stop() {
      for (const timer of restarts) clearTimeout(timer);
      await Promise.all([...workers].map(stopWorker));
    },
  };
}

/** Waits for what a worker says once it listens. @throws WorkerFailed if it ends first */
function listeningOf(worker: Worker): Promise<Listening> {
  return new Promise((resolve, reject) => {
    worker.once('message', (message: Listening) => resolve(message));
    worker.once('exit', () => reject(new WorkerFailed('A worker could not start.')));
  });
}

/** Not by a signal: whoever has sent one to this process may have sent it to the workers, too. */
function stopWorker(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    worker.once('exit', () => resolve());
    if (worker.isConnected()) worker.send(STOP);
  });
}

/**
 * Node hands a worker one connection at a time, and closes it here once the worker has it. If the
 * worker dies in between Node forgets the connection, and its client would wait for ever.
 */
function closeWhatIsInTransit(worker: Worker): void {
  const { send } = worker.process;
  let connection: unknown;
  Object.assign(worker.process, {
    send(...sent: readonly unknown[]): unknown {
      connection = sent[1] ?? connection;
      return Reflect.apply(send, worker.process, sent);
    },
  });
  worker.once('exit', () => {
    // One that ended of itself has answered what it was handed, so that another may have it by now.
    if (!worker.exitedAfterDisconnect) (connection as { close(): void } | undefined)?.close();
  });
}
