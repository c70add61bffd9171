import { randomUUID } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { beforeAll, inject, onTestFinished } from 'vitest';
import { readConfig } from '../../src/config.ts';
import {
  Call,
  type OperationDependencies,
  type OperatorContext,
  operatorContext,
} from '../../src/data/call/call.ts';
import { createProject } from '../../src/data/projects/create-project.ts';
import { createToken } from '../../src/data/tokens/create-token.ts';
import type { Principal } from '../../src/model/caller.ts';
import { createAccount } from '../../src/operator/create-account.ts';
import { registerWallet } from '../../src/operator/register-wallet.ts';
import { addAddresses } from '../../src/operator/supply-addresses.ts';
import { startServer } from '../../src/server.ts';
import type { Engine } from '../../src/storage/interface/engine.ts';
import { migrate } from '../../src/storage/jobs/run-migrations.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { makeCitusDatabase } from './citus.ts';
import { executeOn, onDatabase } from './engine.ts';
import { LONG_DEADLINES } from './long-deadlines.ts';
import { NO_RATE_LIMITS } from './no-rate-limits.ts';

/** The network of the wallets of a tenant, and of its addresses. */
export const NETWORK = 'NETWORK_ETHEREUM';

/** A clock that stands still until it is advanced. */
export type TestClock = (() => number) & { advance(ms: number): void };

/** A listening gateway with a real database, in this process. */
export type Gateway = {
  readonly url: string;
  readonly databaseUrl: string;
  /** The test's own connection to the same database. */
  readonly database: Engine;
  /** The clock of the gateway. */
  readonly clock: TestClock;
  /** The context for administrative operations on the database. */
  readonly operator: OperatorContext;
  /** The log so far, at every level. */
  log(): string;
  /** Stops the gateway and removes the database that was created for it. */
  stop(): Promise<void>;
};

/** The account of a test, with its projects and wallets. */
export type Tenant = {
  readonly account: `accounts/${string}`;
  /** An account token. */
  readonly token: string;
  /** The names of its projects, in list order. The first is the default project. */
  readonly projects: readonly string[];
  /** The names of its wallets, in order. All are in the default project. */
  readonly wallets: readonly string[];
  /** The name of its first project. */
  readonly project: string;
  /** The name of its first wallet; an empty string if it has none. */
  readonly wallet: string;
};

/** Returns a clock that starts at the current time. */
export function testClock(): TestClock {
  let now = Date.now();
  const advance = (ms: number) => {
    now += ms;
  };
  return Object.assign(() => now, { advance });
}

/**
 * Starts a gateway on a free port.
 *
 * @param settings environment variables; without `DATABASE_URL`, the gateway gets its own database
 */
export async function startGateway(
  settings: Readonly<Record<string, string>> = {},
  clock: TestClock = testClock(),
): Promise<Gateway> {
  await using opening = new AsyncDisposableStack();
  const made = settings['DATABASE_URL'] === undefined ? await makeDatabase() : undefined;
  if (made !== undefined) opening.defer(made.remove);
  const databaseUrl = settings['DATABASE_URL'] ?? made?.url ?? '';
  const lines: string[] = [];
  const sink = new Writable({
    write(line: Buffer, _encoding, done) {
      lines.push(line.toString());
      done();
    },
  });
  const config = readConfig({
    PORT: '0',
    PAW_STOP_DELAY: '0s',
    ...NO_RATE_LIMITS,
    ...LONG_DEADLINES,
    ...settings,
    DATABASE_URL: databaseUrl,
  });
  // A server does not create a database in production.
  if (!config.createDatabase) await migrateDatabase(databaseUrl);
  const server = await startServer(config, pino({ level: 'trace' }, sink), { clock });
  opening.defer(() => server.stop());
  const database = await openDatabase(databaseUrl, config);
  opening.defer(() => database.close());
  const open = opening.move();
  const operator = operatorContext(database, () => server.publicUrl, clock);
  return {
    url: server.url,
    databaseUrl,
    database,
    clock,
    operator,
    log: () => lines.join(''),
    stop: () => open.disposeAsync(),
  };
}

/** Starts a gateway whose HTTP server has hooks of the test. */
export async function startGatewayWithHooks(
  addHooks: (app: FastifyInstance) => void,
  settings: Readonly<Record<string, string>> = {},
): Promise<Gateway> {
  const handle = (message: unknown) => addHooks((message as { fastify: FastifyInstance }).fastify);
  subscribe('fastify.initialization', handle);
  return startGateway(settings).finally(() => unsubscribe('fastify.initialization', handle));
}

/**
 * Starts a gateway before the tests of a file, and stops it after them.
 *
 * @param first a gateway of which it becomes another instance, on the same database with the same clock
 */
export function useGateway(settings: Readonly<Record<string, string>> = {}, first?: Gateway): Gateway {
  let gateway: Gateway | undefined;
  beforeAll(async () => {
    gateway = await (first
      ? startGateway({ ...settings, DATABASE_URL: first.databaseUrl }, first.clock)
      : startGateway(settings));
    return gateway.stop;
  });
  return new Proxy({} as Gateway, { get: (_, name: keyof Gateway) => gateway?.[name] });
}

/** Starts a gateway, which stops at the end of the test. */
export async function testGateway(...options: Parameters<typeof startGateway>): Promise<Gateway> {
  const gateway = await startGateway(...options);
  onTestFinished(gateway.stop);
  return gateway;
}

/** Creates an empty database, which is removed at the end of the test. */
export async function testDatabase(): Promise<TestDatabase> {
  const made = await makeDatabase();
  onTestFinished(made.remove);
  return made;
}

/** Returns a call of a client with the dependencies that its operation needs. */
export function clientCall(dependencies: Partial<OperationDependencies>, principal: Principal): Call {
  const client = { requestId: '', address: '127.0.0.1', startMs: performance.now() };
  return new Call(dependencies as OperationDependencies, { principal, client });
}

/** A database of a test. */
export type TestDatabase = {
  readonly url: string;
  remove(): Promise<void>;
};

/** Creates an empty database on the engine of the tests. */
export async function makeDatabase(): Promise<TestDatabase> {
  const citusUrl = inject('citusUrl');
  if (citusUrl !== undefined) return makeCitusDatabase(citusUrl);
  return inject('engine') === 'postgres' ? makePostgresDatabase(inject('postgresUrl')) : makeSqliteFile();
}

/** Creates an empty folder, which is removed at the end of the test. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'paw-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Returns a SQLite file that does not exist yet. */
export function makeSqliteFile(): TestDatabase {
  const folder = mkdtempSync(join(tmpdir(), 'paw-test-'));
  return {
    url: `sqlite:${join(folder, 'paw.db')}`,
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function makePostgresDatabase(serverUrl: string): Promise<TestDatabase> {
  const name = `paw_${randomUUID().replaceAll('-', '')}`;
  // A locale in whose order AA comes after Z.
  await executeOn(
    serverUrl,
    `CREATE DATABASE ${name} TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'da'`,
  );
  const url = new URL(serverUrl);
  url.pathname = name;
  return { url: url.href, remove: () => executeOn(serverUrl, `DROP DATABASE ${name} WITH (FORCE)`) };
}

/** Returns addresses, one a line. @param start the number of the first */
export async function* addressLines(count: number, start = 1): AsyncGenerator<string> {
  for (let n = start; n < start + count; n += 1) yield addressOf(n);
}

/** The number of the first address that is left after `seedTenant`. It has no letters, and thus no checksum. */
export const FIRST_LEFT = 0x100000;

/**
 * Adds an account with `projects` projects and `wallets` wallets, and with `addresses` addresses that are left for more on
 * Ethereum. The first project is the default.
 */
export async function seedTenant(
  { operator }: Pick<Gateway, 'operator'>,
  {
    projects = 1,
    wallets = 0,
    addresses = 0,
  }: { projects?: number; wallets?: number; addresses?: number } = {},
): Promise<Tenant> {
  const { name: account, defaultProject } = await createAccount(operator, { title: 'Tenant' });
  const projectNames: string[] = [defaultProject];
  for (let n = 2; n <= projects; n += 1) {
    const { project } = await createProject(operator, {
      account,
      title: `Project ${n}`,
      description: `No. ${n}`,
    });
    projectNames.push(project.name);
  }
  const walletNames: string[] = [];
  for (let n = 1; n <= wallets; n += 1) {
    walletNames.push((await registerWallet(operator, walletFields(defaultProject, n))).name);
  }
  if (addresses > 0) {
    await addAddresses(operator, { account, network: NETWORK }, addressLines(addresses, FIRST_LEFT));
  }
  const { accessToken } = await createToken(operator, { account });
  const first = { project: defaultProject, wallet: walletNames[0] ?? '' };
  return { account, token: accessToken, projects: projectNames, wallets: walletNames, ...first };
}

/** Creates the tables of a database without a server, and adds an account. */
export async function seedDatabase(url: string, size?: Parameters<typeof seedTenant>[1]): Promise<Tenant> {
  await migrateDatabase(url);
  return onDatabase(url, (database) => seedTenant({ operator: operatorContext(database) }, size));
}

/** Adds an account before the tests of a file. */
export function useTenant(gateway: Gateway, size: Parameters<typeof seedTenant>[1] = {}): Tenant {
  const tenant = {} as Tenant;
  beforeAll(async () => {
    Object.assign(tenant, await seedTenant(gateway, size));
  });
  return tenant;
}

/** Returns an address without a checksum. */
export function addressOf(n: number): string {
  return `0x${n.toString(16).padStart(40, '0')}`;
}

function walletFields(project: string, n: number) {
  const address = addressOf(n);
  return { project, title: `Wallet ${n}`, description: `No. ${n}`, network: NETWORK, address };
}

/** Applies all migrations to a database. */
export async function migrateDatabase(url: string): Promise<void> {
  await onDatabase(url, (database) => migrate(database, Date.now()));
}
