import { once } from 'node:events';
import { getSystemErrorMessage } from 'node:util';
import { type Config, IS_UNDER_NPM, readConfig } from '../config.ts';
import type { ServerInfo } from '../server.ts';
import type { Command } from './cli/command.ts';
import { openLog } from './cli/logger.ts';
import { endProcess } from './cli/signals.ts';

const STANDARD_OUTPUT = 1;

const PARENT_CHECK_MS = 1000;

export const serve: Command = {
  synopsis: 'serve',
  summary: 'Runs the server on HOST and PORT until SIGTERM or SIGINT.',
  async run() {
    await serveUntilStopped(readConfig(), STANDARD_OUTPUT);
  },
};

/**
 * Runs the server until SIGTERM or SIGINT, then stops it.
 *
 * @param onListening called when the server listens, which stops if it throws
 */
export async function serveUntilStopped(
  config: Config,
  logTo: 1 | 2,
  onListening: (info: ServerInfo) => void = () => {},
): Promise<void> {
  const logger = openLog(config.logLevel, logTo);
  // Registered before the start, so a signal during the start is not lost.
  const stopping = new AbortController();
  const stopped = once(stopping.signal, 'abort');
  let signals = 0;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      signals += 1;
      if (signals > 1) {
        logger.flush();
        endProcess(signal);
      }
      stopping.abort();
    });
  }
  const parentCheck = IS_UNDER_NPM ? stopAfterParent(stopping) : undefined;
  // The server continues when its terminal is closed.
  process.on('SIGHUP', () => clearInterval(parentCheck));
  try {
    // Imported on demand: no other command needs it, and its import takes longer than most commands.
    const { startServer } = await import('../server.ts');
    const server = await startServer(config, logger, { signal: stopping.signal });
    const { url, publicUrl } = server;
    logger.info({ url, publicUrl }, `listening on ${url}`);
    const ended = Promise.try(onListening, server).then(() => stopped);
    const failure = await Promise.race([ended.then(() => undefined), server.failed]).catch((error) => error);
    // After a failure all writes are refused, so the server stops without a delay.
    await server.stop(failure === undefined ? undefined : 0);
    if (failure) throw failure;
  } catch (error) {
    // A migration was ended by the signal.
    if (error !== stopping.signal.reason) throw explained(error, config);
  }
}

/**
 * Stops the server when its parent has ended. Between npm and the server, there can be a shell. npm passes a signal to this
 * shell, which ends without passing it on.
 */
function stopAfterParent(stopping: AbortController): NodeJS.Timeout {
  const parent = process.ppid;
  const check = () => {
    if (process.ppid !== parent) stopping.abort();
  };
  return setInterval(check, PARENT_CHECK_MS).unref();
}

/** Returns the error for a host or port on which the server can't listen, and every other error unchanged. */
function explained(error: unknown, { host, metricsPort }: Config): unknown {
  const { syscall = '', code, errno = 0, port } = error as NodeJS.ErrnoException & { readonly port?: number };
  if (!['listen', 'getaddrinfo'].includes(syscall)) return error;
  const setting = port === metricsPort ? 'PAW_METRICS_PORT' : 'PORT';
  const messages: Readonly<Record<string, string>> = {
    EADDRINUSE: `Another program uses the port ${port}. Stop it, or set ${setting} to a different port.`,
    ENOTSUP: 'PAW_REUSE_PORT must be off: on this system, instances cannot share a port.',
    EACCES: `This user is not allowed to listen on the port ${port}. Set ${setting} to a different port.`,
  };
  const ofHost = `HOST must be an address of this machine. On ${JSON.stringify(host)}, the error is: ${getSystemErrorMessage(errno)}.`;
  return new Error(messages[code ?? ''] ?? ofHost, { cause: error });
}
