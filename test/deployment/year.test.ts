// @module-tag needs/haproxy
// @module-tag needs/postgresql
// @module-tag night/year

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { readiness, send } from '../support/both-apis.ts';
import { onDatabase } from '../support/engine.ts';
import { freePort } from '../support/free-port.ts';
import { operatorContext, seedTenant, type Tenant } from '../support/gateway.ts';
import { rowsOf } from '../support/rows.ts';
import { startDebianPostgres } from './debian-postgres.ts';
import { type Instance, instanceOf } from './fleet.ts';
import { Installation } from './installation.ts';
import { haproxy } from './proxy.ts';
import { RetryingClients } from './retrying-clients.ts';

// Prints what docs/production.md says about outages. It follows the section about upgrades there.

/** A change of the version that runs. */
type Step = {
  readonly to: string;
  /** Whether the instances serve during the migration. */
  readonly isCompatible: boolean;
  /** The versions of the program whose schema the database has before and after it. */
  readonly schemas: readonly [before: string, after: string];
};

/** A database, and the instances on it. */
type Site = {
  readonly name: string;
  readonly settings: { readonly DATABASE_URL: string };
  readonly instances: readonly Instance[];
  /** Whether a proxy sends requests to the instance that is left while another one is replaced. */
  readonly isBalanced: boolean;
  /** Returns the URL for clients, after the start of the instances. */
  open(): Promise<string>;
  /** Writes a backup, by the program of the version. */
  backup(version: string, file: string): Promise<void>;
  /** Restores a backup to another database, by the program of the version, and returns its URL. */
  restore(version: string, file: string): Promise<string>;
  close(): Promise<void>;
};

const CLIENTS = 4;

// Much longer than on a machine that does nothing else.
const MAX_OUTAGE_MS = 20_000;

const folder = mkdtempSync(join(tmpdir(), 'paw-test-year-'));
const installation = new Installation(folder);
/** The oldest version; the next one, which is compatible; and the last one, which is not. */
let versions: readonly [string, string, string];

beforeAll(() => {
  versions = installation.install();
  return () => rmSync(folder, { recursive: true });
}, 600_000);

/** Two instances behind HAProxy, on a PostgreSQL server. */
async function onPostgres(): Promise<Site> {
  await using opening = new AsyncDisposableStack();
  const postgres = await startDebianPostgres();
  opening.defer(postgres.stop);
  const settings = {
    DATABASE_URL: postgres.urlOf('postgres'),
    PAW_STOP_DELAY: '5s',
    PAW_TRUSTED_PROXIES: '127.0.0.1',
  };
  const ports = [await freePort(), await freePort()] as const;
  const instances = ports.map((port) =>
    instanceOf(() => installation.serve({ ...settings, PORT: String(port) })),
  );
  for (const instance of instances) opening.defer(instance.kill);
  const open = opening.move();
  return {
    name: 'PostgreSQL',
    settings,
    instances,
    isBalanced: true,
    async open() {
      const proxy = await haproxy.start(await freePort(), ports);
      open.defer(proxy.stop);
      return proxy.url;
    },
    backup: (_, file) => postgres.dump('postgres', file),
    restore: (_, file) => postgres.restore(file),
    close: () => open.disposeAsync(),
  };
}

/** One instance on a SQLite file, without a proxy. */
async function onSqlite(): Promise<Site> {
  const settings = { DATABASE_URL: `sqlite:${folder}/paw.db` };
  const port = await freePort();
  const instance = instanceOf(() => installation.serve({ ...settings, PORT: String(port) }));
  return {
    name: 'SQLite',
    settings,
    instances: [instance],
    isBalanced: false,
    open: async () => `http://127.0.0.1:${port}`,
    backup: (version, file) => installation.run(version, ['backup', file], settings),
    async restore(version, file) {
      const restored = { DATABASE_URL: `sqlite:${file}.restored` };
      await installation.run(version, ['restore', file], restored);
      return restored.DATABASE_URL;
    },
    close: instance.kill,
  };
}

/** Installs a version, adds an account, and starts the instances. */
async function begin(version: string, { settings, instances }: Site): Promise<Tenant> {
  installation.use(version);
  await installation.run(version, ['migrate'], settings);
  const tenant = await onDatabase(settings.DATABASE_URL, (database) =>
    seedTenant({ operator: operatorContext(database) }, { projects: 100, wallets: CLIENTS, addresses: 1000 }),
  );
  await Promise.all(instances.map((instance) => instance.start()));
  return tenant;
}

/** Replaces the instances by those of another version. */
async function replace(
  { instances, settings }: Site,
  { to, isCompatible }: Step,
  backup: () => Promise<void>,
) {
  if (!isCompatible) await Promise.all(instances.map((instance) => instance.stop()));
  await backup();
  await installation.run(to, ['migrate'], settings);
  installation.use(to);
  for (const instance of instances) {
    if (isCompatible) await instance.stop();
    await instance.start();
    const url = `http://127.0.0.1:${instance.port}`;
    await expect.poll(() => readiness(url)).toBe(200);
    expect(JSON.parse((await send(`${url}/openapi.json`, 'GET')).text).info.version).toBe(to);
  }
}

/** Returns the titles of all apps, and of each wallet. */
function contentsOf(url: string) {
  return onDatabase(url, async (database) => {
    const [apps, wallets] = [await rowsOf(database, 'app'), await rowsOf(database, 'wallet')];
    return {
      apps: apps.map(({ title }) => title).sort(),
      wallets: new Map(wallets.map(({ id, title }) => [`wallets/${id}`, title])),
    };
  });
}

/** Takes a step under load, reports the outage, and restores a backup that was made in the step. */
async function take(step: Step, site: Site, clients: RetryingClients): Promise<void> {
  const [before, after] = step.schemas;
  const file = join(mkdtempSync(join(folder, 'backup-')), 'paw.backup');
  let acknowledged: readonly string[] = [];
  await clients.proceed();
  clients.forget();
  await replace(site, step, async () => {
    acknowledged = [...clients.apps];
    await site.backup(before, file);
  });
  await clients.proceed();
  const { failures, longestGapMs } = clients;
  console.log(
    `${site.name}, to ${step.to}: ${failures.length} failed requests, ${Math.round(longestGapMs)} ms without a change`,
  );
  if (site.isBalanced && step.isCompatible) expect(failures).toEqual([]);
  expect(longestGapMs).toBeLessThan(MAX_OUTAGE_MS);

  const restored = await site.restore(before, file);
  await installation.run(before, ['check'], { DATABASE_URL: restored });
  expect((await contentsOf(restored)).apps).toEqual(expect.arrayContaining([...acknowledged]));
  await installation.run(after, ['check'], site.settings);
}

test.each([
  ['two instances on PostgreSQL', onPostgres],
  ['one instance on SQLite', onSqlite],
])(
  'upgrades and a rollback lose and repeat no acknowledged change: %s',
  async (_, start) => {
    await using opening = new AsyncDisposableStack();
    const site = await start();
    opening.defer(site.close);
    const [first, next, last] = versions;
    const tenant = await begin(first, site);
    const clients = new RetryingClients(await site.open(), tenant);
    opening.defer(() => clients.stop().catch(() => {}));
    const steps: readonly Step[] = [
      { to: next, isCompatible: true, schemas: [first, next] },
      { to: first, isCompatible: true, schemas: [next, next] },
      { to: next, isCompatible: true, schemas: [next, next] },
      { to: last, isCompatible: false, schemas: [next, last] },
    ];
    for (const step of steps) await take(step, site, clients);
    await clients.stop();
    const { apps, wallets } = clients;
    expect(await contentsOf(site.settings.DATABASE_URL)).toEqual({ apps: apps.toSorted(), wallets });
  },
  600_000,
);
