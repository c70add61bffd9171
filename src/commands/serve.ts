import cluster from 'node:cluster';
import { once } from 'node:events';
import { type Logger, pino } from 'pino';
import { type Config, readConfig } from '../config.ts';
import type { Listening, Server } from '../server.ts';
import { STOP, startWorkers, WorkerFailed } from '../workers.ts';
import type { Command } from './command.ts';

const STANDARD_OUTPUT = 1;

export const serve: Command = {
  name: 'serve',
  summary: 'Runs the server until it is told to stop.',
  options: {},
  async run({ environment }) {
    await serveUntilStopped(readConfig(environment), STANDARD_OUTPUT);
  },
};

/**
 * Runs the server until SIGTERM or SIGINT, and then stops it.
 *
 * @param logTo the file descriptor that the log goes to
 * @param onListening is called when requests are answered
 */
export async function serveUntilStopped(
  config: Config,
  logTo: number,
  onListening: (listening: Listening) => void = () => {},
): Promise<void> {
  // From here on, so that a signal during the start is not lost.
  const stopping = new AbortController();
  const stopped = once(stopping.signal, 'abort');
  // A second one finds no listener, and so ends the process at once.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stopping.abort());
  // The end of a terminal is no reason to stop serving.
  process.on('SIGHUP', () => {});
  cluster.worker?.on('message', (message) => {
    if (message === STOP) stopping.abort();
  });
  const logger = pino({ level: config.logLevel }, pino.destination({ dest: logTo, sync: true }));
  try {
    const server = await start(config, logTo, logger, stopping.signal);
    const { url, publicUrl, explorers } = server;
    if (cluster.isWorker) {
      logger.debug({ url }, 'a worker listens');
      process.send?.({ url, publicUrl, explorers } satisfies Listening);
    } else {
      logger.info({ url, publicUrl }, `listening on ${url}`);
      onListening(server);
    }
    const failure = await Promise.race([stopped.then(() => undefined), server.failed]);
    // After a failure no change is acknowledged any more, so that nothing is gained by a delay.
    await server.stop(failure && 0);
    if (failure) throw failure;
  } catch (error) {
    // Who tells all processes at once to end may do so before a worker has learnt how to.
    if (!(error instanceof WorkerFailed && stopping.signal.aborted)) throw error;
  } finally {
    // What ties a worker to its primary would keep it alive.
    cluster.worker?.disconnect();
  }
}

async function start(config: Config, logTo: number, logger: Logger, stopping: AbortSignal): Promise<Server> {
  if (config.workers > 1 && cluster.isPrimary) return startWorkers(config, logTo, logger, stopping);
  // Loaded here, since no other command needs it and it takes longer than most of them.
  const { startServer } = await import('../server.ts');
  return startServer(config, logger);
}
