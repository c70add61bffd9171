import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/storage/open-database.ts';
import { graphqlBody, ulidOf } from '../support/actors.ts';
import { type Api, bothApis, send } from '../support/apis.ts';
import {
  adminContext,
  makeDatabase,
  migrateDatabase,
  seedTenant,
  startGateway,
  type Tenant,
} from '../support/gateway.ts';
import { logLines, type RunningServer, type Settings, startServerProcess } from '../support/paw.ts';

// Several processes write to one SQLite file. Each syncs the log for its own writes only.

const KILLS = Number(process.env['PAW_TEST_KILLS'] ?? 2);

const WRITERS = 4;

// Far longer than needed, so that no test fails on a busy machine.
const POLL = { timeout: 60_000, interval: 10 };

/** Servers on one database, whose processes can be killed. */
type Deployment = {
  /** The URL of a server. It changes when a server is started again. */
  urlOf(writer: number): string;
  /** Kills one of the processes, and waits until another has taken its place. */
  kill(round: number): Promise<void>;
  stop(): Promise<void>;
};

/** The acknowledged writes of one client. */
type Acknowledged = { readonly apps: string[]; lastTitle: number; sentTitle: number };

test.each([
  ['workers of one server', startWorkers],
  ['servers on one file', startServers],
])(
  '%s that are killed under load lose no acknowledged write',
  async (_, start) => {
    const made = await makeDatabase();
    onTestFinished(made.remove);
    await migrateDatabase(made.url);
    const database = await openDatabase(made.url);
    onTestFinished(() => database.close());
    const tenant = await seedTenant({ admin: adminContext(database) }, { wallets: WRITERS });
    const deployment = await start({ DATABASE_URL: made.url });

    const acknowledged = tenant.wallets.map((): Acknowledged => ({ apps: [], lastTitle: 0, sentTitle: 0 }));
    let isOver = false;
    const writers = acknowledged.map(async (writes, writer) => {
      const [api, other] = bothApis(() => deployment.urlOf(writer));
      for (let n = 1; !isOver; n += 1) await write(n % 2 ? api : other, tenant, writer, n, writes);
    });
    for (let round = 0; round < KILLS; round += 1) {
      const before = acknowledged.map(({ apps }) => apps.length);
      const hasProgress = () =>
        acknowledged.every(({ apps }, index) => apps.length > (before[index] ?? 0) + 1);
      await expect.poll(hasProgress, POLL).toBe(true);
      await deployment.kill(round);
    }
    isOver = true;
    await Promise.all(writers);

    const url = deployment.urlOf(0);
    for (const [index, { apps, lastTitle, sentTitle }] of acknowledged.entries()) {
      expect(await missingOf(url, tenant.token, apps)).toEqual([]);
      const wallet = { id: tenant.wallets[index] };
      const { data } = await graphqlBody(url, tenant.token, TITLE, wallet);
      const written = Number(data.node.title);
      // A write without an answer may have been made or not.
      expect(written).toBeGreaterThanOrEqual(lastTitle);
      expect(written).toBeLessThanOrEqual(sentTitle);
    }
    const [check] = await database.read('SELECT integrity_check FROM pragma_integrity_check');
    expect(check).toEqual({ integrity_check: 'ok' });
    await deployment.stop();
  },
  600_000,
);

test('a kill leaves an app and the response that is kept for its Idempotency-Key, or neither', async () => {
  const made = await makeDatabase();
  onTestFinished(made.remove);
  const gateway = await startGateway({ DATABASE_URL: made.url });
  onTestFinished(gateway.stop);
  const { token, account } = await seedTenant(gateway);
  const killed = await startServerProcess({ DATABASE_URL: made.url });
  const keys = Array.from({ length: 60 }, (_, n) => `key-${n}`);
  const createApp = (url: string, key: string) =>
    send(`${url}/auth/apps`, 'POST', token, { title: 'App', active: true }, { 'idempotency-key': key });

  const acknowledged = new Map<string, string>();
  /** Creates the apps of every sixth key, one after the other, until the server is gone. */
  async function createApps(first: number): Promise<void> {
    for (const key of keys.filter((_, n) => n % 6 === first)) {
      const { status, text } = await createApp(killed.url, key);
      expect(status).toBe(200);
      acknowledged.set(key, text);
      // The requests of the other clients are at every stage.
      if (acknowledged.size === 20) process.kill(killed.pid, 'SIGKILL');
    }
  }
  await Promise.allSettled([0, 1, 2, 3, 4, 5].map(createApps));
  expect(acknowledged.size).toBeLessThan(60);
  await killed.ended;
  for (const key of keys) {
    const { status, text } = await createApp(gateway.url, key);
    expect([status, text]).toEqual([200, acknowledged.get(key) ?? text]);
  }
  const rows = await gateway.database.read('SELECT id FROM app WHERE account_id = $1', [ulidOf(account)]);
  expect(rows).toHaveLength(60);
});

const TITLE = 'query ($id: ID!) { node(id: $id) { ... on Wallet { title } } }';

const NAMES = 'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on App { name } } }';

/** Creates an app and updates the client's own wallet, and notes what was acknowledged. */
async function write(
  api: Api,
  { token, wallets }: Tenant,
  writer: number,
  n: number,
  writes: Acknowledged,
): Promise<void> {
  try {
    const created = await api.createApp(token, { title: `App ${n}`, active: true });
    if (created.value) writes.apps.push(created.value.name);
    writes.sentTitle = n;
    const updated = await api.updateWallet(token, wallets[writer] ?? '', { title: String(n) });
    if (updated.value) writes.lastTitle = n;
  } catch (error) {
    // The process was killed before it answered.
    if (!(error instanceof TypeError && error.message === 'fetch failed')) throw error;
  }
}

/** Returns the names of the apps that do not exist. */
async function missingOf(url: string, token: string, apps: readonly string[]): Promise<readonly string[]> {
  const missing: string[] = [];
  for (let start = 0; start < apps.length; start += 100) {
    const ids = apps.slice(start, start + 100);
    const { data } = await graphqlBody(url, token, NAMES, { ids });
    missing.push(...ids.filter((name, index) => data.nodes[index]?.name !== name));
  }
  return missing;
}

async function startWorkers(settings: Settings): Promise<Deployment> {
  const server = await startServerProcess({ ...settings, PAW_WORKERS: '3', LOG_LEVEL: 'debug' });
  const workers = (): number[] =>
    logLines(server.output()).flatMap(({ msg, pid }) => (msg === 'worker is listening' ? [pid] : []));
  return {
    urlOf: () => server.url,
    async kill(round) {
      process.kill(workers()[round] ?? Number.NaN, 'SIGKILL');
      await expect.poll(() => workers().length, POLL).toBe(3 + round + 1);
    },
    stop: async () => {
      expect(await server.stop('SIGTERM')).toMatchObject({ status: 0, stderr: '' });
    },
  };
}

async function startServers(settings: Settings): Promise<Deployment> {
  const servers = await Promise.all([0, 1].map(() => startServerProcess(settings)));
  return {
    urlOf: (writer) => (servers[writer % 2] as RunningServer).url,
    async kill(round) {
      await servers[round % 2]?.stop('SIGKILL');
      servers[round % 2] = await startServerProcess(settings);
    },
    stop: async () => {
      for (const server of servers) {
        expect(await server.stop('SIGTERM')).toMatchObject({ status: 0, stderr: '' });
      }
    },
  };
}
