import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { readConfig, readDuration } from '../config.ts';
import { createAccount } from '../data/create-account.ts';
import { createAccountToken } from '../data/create-account-token.ts';
import { createProject } from '../data/create-project.ts';
import { createWallet } from '../data/create-wallet.ts';
import { idGenerator } from '../model/resource-name.ts';
import { startServer } from '../server.ts';
import { openDatabase } from '../storage/open-database.ts';
import type { FaultName, FaultOptions } from './fault.ts';
import { Faults } from './faults.ts';

export type { FaultName, FaultOptions };

/** What a gateway contains at first, beside an account and an active app in its first project. */
export type Seed = {
  /** The titles of the projects; by default one. */
  readonly projects?: readonly [string, ...string[]];
  /** The titles of the wallets of the first project; by default one. */
  readonly wallets?: readonly string[];
};

/** A gateway on a free port of 127.0.0.1, in this process, on a SQLite file of its own. */
export type TestGateway = AsyncDisposable & {
  readonly url: string;
  /** An account token, valid for 90 days. */
  readonly token: string;
  /** The resource names, in the order of the seed. */
  readonly account: string;
  readonly projects: readonly string[];
  readonly wallets: readonly string[];
  /** The credentials of the app. Its name is its client id of OAuth. */
  readonly app: { readonly name: string; readonly privateKey: string };
  /** `fetch` with the account token, unless a request has another one. A path such as `/graphql` is one of the gateway. */
  readonly fetch: typeof fetch;
  readonly faults: {
    /** Gives the fault to the next request, or to the next one with an operation. Faults wait for one request each. */
    next(name: FaultName, options?: FaultOptions): void;
  };
  readonly clock: {
    /** Sets the clock of the gateway forward, by which tokens expire. @param duration such as `2h` or `30m` */
    advance(duration: string): void;
  };
  /** Stops the gateway, and deletes its file. */
  close(): Promise<void>;
};

const TOKEN_TTL_SECONDS = 90 * 86_400;

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
export async function startGateway({ seed = {} }: { readonly seed?: Seed } = {}): Promise<TestGateway> {
  await using opening = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'paw-gateway-'));
  opening.defer(() => rmSync(folder, { recursive: true, force: true }));
  const databaseUrl = `sqlite:${join(folder, 'paw.db')}`;
  let aheadMs = 0;
  const clock = () => Date.now() + aheadMs;
  const faults = new Faults(clock);
  const config = readConfig({ ...SETTINGS, DATABASE_URL: databaseUrl });
  const server = await startServer(config, pino({ level: 'silent' }), clock, faults);
  opening.defer(() => server.stop());
  const { url } = server;
  const { token, ...names } = await createSeed(databaseUrl, clock, seed);
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
  const close = () => open.disposeAsync();
  return {
    url,
    token,
    ...names,
    app: { name, privateKey },
    fetch: gatewayFetch,
    faults: { next: (fault, options) => faults.next(fault, options) },
    clock: {
      advance(duration) {
        aheadMs += readDuration('duration', duration) * 1000;
      },
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function createSeed(
  databaseUrl: string,
  clock: () => number,
  { projects: [first, ...others] = ['Project'], wallets: titles = ['Wallet'] }: Seed,
) {
  const database = await openDatabase(databaseUrl);
  try {
    const admin = { database, clock, newId: idGenerator(clock), publicUrl: () => '' };
    const { name: account, defaultProject } = await createAccount(admin, { title: first });
    const projects: string[] = [defaultProject];
    const wallets: string[] = [];
    for (const title of others)
      projects.push((await createProject(admin, 'operator', { account, title })).name);
    for (const [index, title] of titles.entries()) {
      const address = `0x${(index + 1).toString(16).padStart(40, '0')}`;
      const input = { project: defaultProject, title, network: 'NETWORK_ETHEREUM', address };
      wallets.push((await createWallet(admin, input)).name);
    }
    const { accessToken: token } = await createAccountToken(admin, { account }, TOKEN_TTL_SECONDS);
    return { account, token, projects, wallets };
  } finally {
    await database.close();
  }
}
