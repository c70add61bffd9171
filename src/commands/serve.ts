import { pino } from 'pino';
import { type Config, readConfig } from '../config.ts';
import type { Server } from '../server.ts';
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
  onListening: (server: Server) => void = () => {},
): Promise<void> {
  // From here on, so that a signal during the start is not lost.
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
  // Loaded here, since no other command needs it and it takes longer than most of them.
  const { startServer } = await import('../server.ts');
  const logger = pino({ level: config.logLevel }, pino.destination({ dest: logTo, sync: true }));
  const server = await startServer(config, logger);
  onListening(server);
  await stopped;
  await server.stop();
}
