import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { readConfig, readDuration } from '../config.ts';
import { type OperatorContext, operatorContext } from '../data/call/call.ts';
import { createProject } from '../data/projects/create-project.ts';
import { createToken as createAccountToken } from '../data/tokens/create-token.ts';
import { createAccount } from '../operator/create-account.ts';
import { addSampleAddresses } from '../operator/create-samples.ts';
import { registerWallet } from '../operator/register-wallet.ts';
import { startServer } from '../server.ts';
import { openDatabase } from '../storage/open-database.ts';
import type { FaultName, FaultOptions, OperationName } from './fault.ts';
import { Faults } from './faults.ts';

export type { FaultName, FaultOptions, OperationName };

/** What an account contains. */
export type Seed = {
  /** The titles of the projects; by default one. */
  readonly projects?: readonly [string, ...string[]];
  /** The titles of the wallets of the first project; by default one. */
  readonly wallets?: readonly string[];
};

export type GatewayOptions = {
  readonly seed?: Seed;
  /** Settings of docs/running.md, such as `PAW_TOKEN_TTL`. The database is always the test's. */
  readonly settings?: Readonly<Record<string, string>>;
};

export type TokenOptions = {
  readonly readOnly?: boolean;
  /** The only project that the token has access to. */
  readonly onlyProject?: string;
};

/** An account with its resource names, in the order of the seed. */
export type TestAccount = {
  readonly account: string;
  /** An account token, valid for 90 days. */
  readonly token: string;
  readonly projects: readonly string[];
  readonly wallets: readonly string[];
  /** Creates another account token. */
  createToken(options?: TokenOptions): Promise<string>;
};

/** A gateway on a free port of 127.0.0.1, in this process, on its own SQLite file, with an account and an active app. */
export type TestGateway = TestAccount &
  AsyncDisposable & {
    readonly url: string;
    /** The credentials of the app. Its name is its client id of OAuth. */
    readonly app: { readonly name: string; readonly privateKey: string };
    /** `fetch` with the account token, unless a request has another one. A path such as `/graphql` is one of the gateway. */
    readonly fetch: typeof fetch;
    readonly faults: {
      /** Gives the fault to the next request, or to the next one with an operation. Faults wait for one request each. */
      next(name: FaultName, options?: FaultOptions): void;
      /** Gives the fault to each request, or to each one with an operation, until `clear`. */
      every(name: FaultName, options?: FaultOptions): void;
      /** Removes all faults. @throws Error if a fault had no request */
      clear(): void;
    };
    readonly clock: {
      /** Sets the clock of the gateway forward, by which tokens expire. @param duration such as `2h` or `30m` */
      advance(duration: string): void;
    };
    /** Creates another account. */
    createAccount(seed?: Seed): Promise<TestAccount>;
    /** Stops the gateway, and deletes its file. @throws Error if a fault had no request */
    close(): Promise<void>;
  };

const SETTINGS = {
  PORT: '0',
  PAW_STOP_DELAY: '0s',
  PAW_CONSOLE: 'off',
  PAW_EXPLORERS: 'off',
  // The limit is a fault that a test asks for.
  PAW_RATE_LIMIT_CREDENTIAL: '100000000',
  PAW_RATE_LIMIT_ACCOUNT: '100000000',
  PAW_RATE_LIMIT_ADDRESS: '100000000',
};

/** Starts a gateway for tests. */
export async function startGateway({ seed, settings }: GatewayOptions = {}): Promise<TestGateway> {
  await using opening = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'paw-gateway-'));
  opening.defer(() => rmSync(folder, { recursive: true, force: true }));
  const databaseUrl = `sqlite:${join(folder, 'paw.db')}`;
  let aheadMs = 0;
  const clock = () => Date.now() + aheadMs;
  const faults = new Faults(clock);
  const config = readConfig({ ...SETTINGS, ...settings, DATABASE_URL: databaseUrl });
  const server = await startServer(config, pino({ level: 'silent' }), { clock, faults });
  opening.defer(() => server.stop());
  const { url } = server;
  const database = await openDatabase(databaseUrl);
  opening.defer(() => database.close());
  const operator = operatorContext(database, () => url, clock);
  const account = await createTestAccount(operator, seed);
  const { token } = account;
  const gatewayFetch: typeof fetch = (input, init) => {
    const target = typeof input === 'string' && input.startsWith('/') ? url + input : input;
    const request = new Request(target, init);
    if (request.url.startsWith(`${url}/`) && !request.headers.has('authorization'))
      request.headers.set('authorization', `Bearer ${token}`);
    return fetch(request);
  };
  const response = await gatewayFetch('/auth/apps', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'App', active: true }),
  });
  const { name, privateKey } = (await response.json()) as TestGateway['app'];
  const open = opening.move();
  const close = async () => {
    await open.disposeAsync();
    faults.clear();
  };
  return {
    ...account,
    url,
    app: { name, privateKey },
    fetch: gatewayFetch,
    faults: {
      next: (fault, options) => faults.add(fault, options),
      every: (fault, options) => faults.add(fault, options, true),
      clear: () => faults.clear(),
    },
    createAccount: (other) => createTestAccount(operator, other),
    clock: {
      advance(duration) {
        aheadMs += readDuration('duration', duration) * 1000;
      },
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function createTestAccount(
  operator: OperatorContext,
  { projects: [first, ...others] = ['Project'], wallets: titles = ['Wallet'] }: Seed = {},
): Promise<TestAccount> {
  const { name: account, defaultProject } = await createAccount(operator, { title: first });
  const projects: string[] = [defaultProject];
  const wallets: string[] = [];
  for (const title of others) projects.push((await createProject(operator, { account, title })).project.name);
  for (const [index, title] of titles.entries()) {
    const address = `0x${(index + 1).toString(16).padStart(40, '0')}`;
    const input = { project: defaultProject, title, network: 'NETWORK_ETHEREUM', address };
    wallets.push((await registerWallet(operator, input)).name);
  }
  await addSampleAddresses(operator, account);
  const createToken = async (options: TokenOptions = {}) =>
    (await createAccountToken(operator, { account, ...options })).accessToken;
  return { account, token: await createToken(), projects, wallets, createToken };
}
