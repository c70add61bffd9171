import { existsSync, readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';

// Of Linux only.
const LIMITS_FILE = '/proc/self/limits';

// The file descriptors for the database, the log and other files.
const RESERVED = 128;

const LOG_INTERVAL_MS = 10_000;

/**
 * Refuses connections before the process has no file descriptors left, so the database still gets some, and logs it
 * every 10 seconds. Without a limit, Node would close such connections, and say nothing.
 */
export function limitConnections(server: Server, logger: Pick<FastifyBaseLogger, 'error'>): void {
  const limits = existsSync(LIMITS_FILE) ? readFileSync(LIMITS_FILE, 'utf8') : '';
  const [, openFiles] = /^Max open files +(\d+)/m.exec(limits) ?? [];
  if (openFiles === undefined) return;
  const maxConnections = Math.max(Number(openFiles) - RESERVED, Math.floor(Number(openFiles) / 2));
  let lastMs = Number.NEGATIVE_INFINITY;
  server.maxConnections = maxConnections;
  server.on('drop', () => {
    const now = performance.now();
    if (now - lastMs < LOG_INTERVAL_MS) return;
    lastMs = now;
    logger.error({ maxConnections }, 'too few file descriptors for more connections');
  });
}
