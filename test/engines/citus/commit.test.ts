import { expect, inject, test, vi } from 'vitest';
import type { Queryable } from '../../../src/storage/interface/database.ts';
import type { Engine } from '../../../src/storage/interface/engine.ts';
import { openDatabase } from '../../../src/storage/open-database.ts';
import { bothApis } from '../../support/both-apis.ts';
import { type CitusDatabase, makeCitusDatabase } from '../../support/citus.ts';
import { onDatabase } from '../../support/engine.ts';
import { seedDatabase, startGateway, type Tenant } from '../../support/gateway.ts';
import { LONG_TIMEOUT } from '../../support/long-deadlines.ts';
import { startProxy, type TcpProxy } from '../../support/proxy.ts';
import { reasonOf, ulidOf } from '../../support/requests.ts';
import { rowOf, rowsOf, setRow } from '../../support/rows.ts';
import { startBeforeAll } from '../../support/start-before-all.ts';

const FIND_SHARD = `SELECT 'audit_event_' || shardid AS shard, nodeport AS port FROM citus_shards
WHERE shardid = get_shard_id_for_distribution_column('audit_event', CAST($1 AS text))`;

// The test waits for this lock, and not for the lock timeout of the request.
const CREATE_WAIT = `CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql SET lock_timeout = 0
AS 'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END'`;

const LOCK = 'SELECT 1 AS one FROM pg_advisory_xact_lock(1)';

const FIND_WAITING = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = 1 AND NOT granted
AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

const COUNT_SESSIONS = 'SELECT COUNT(*) AS count FROM pg_stat_activity WHERE pid = $1';

/** The proxies by which the nodes reach the workers, in the order of the workers. */
const proxies: TcpProxy[] = [];

let made: CitusDatabase;
let tenant: Tenant;
let shard: string;
let proxy: TcpProxy;
/** The worker of the tenant, without the proxy. */
let worker: Engine;

startBeforeAll(async (opening) => {
  const portFor = async (target: number) => {
    const started = await startProxy(target);
    opening.defer(started.stop);
    proxies.push(started);
    return started.port;
  };
  made = await makeCitusDatabase(inject('citusUrl') ?? '', { portFor });
  opening.defer(made.remove);
  tenant = await seedDatabase(made.url);
  const [found] = await onDatabase(made.url, (database) =>
    database.read<{ shard: string; port: number }>(FIND_SHARD, [ulidOf(tenant.account)]),
  );
  const index = proxies.findIndex(({ port }) => port === found?.port);
  const [ofShard] = proxies.slice(index, index + 1);
  if (found === undefined || ofShard === undefined) throw new Error('The worker has no proxy.');
  shard = found.shard;
  proxy = ofShard;
  worker = await openDatabase(made.workerUrls[index] ?? '', LONG_TIMEOUT);
  opening.defer(() => worker.close());
  await onWorker(CREATE_WAIT);
});

/** Executes a statement on the worker alone. */
async function onWorker(sql: string): Promise<void> {
  await worker.transaction(async ({ write }) => {
    await write('SET LOCAL citus.enable_ddl_propagation = off');
    await write(sql);
  });
}

const cut = async () => proxy.cut(true);

const endSession = async ({ read }: Queryable, pid: number) => {
  await read('SELECT pg_terminate_backend(CAST($1 AS INTEGER))', [pid]);
};

/** Runs a fault while a session of the worker waits in the trigger, and waits for the end of that session. */
async function duringWait(request: () => Promise<string>, fault: typeof endSession): Promise<string> {
  let reason: Promise<string> | undefined;
  let pid = 0;
  await worker.transaction(async (holder) => {
    await holder.read(LOCK);
    reason = request();
    await vi.waitUntil(
      async () => {
        pid = (await holder.read<{ pid: number }>(FIND_WAITING))[0]?.pid ?? 0;
        return pid !== 0;
      },
      { timeout: 60_000 },
    );
    await fault(holder, pid);
  });
  const result = (await reason) ?? '';
  await vi.waitUntil(async () => (await worker.read(COUNT_SESSIONS, [pid]))[0]?.['count'] === 0, {
    timeout: 60_000,
  });
  proxy.cut(false);
  return result;
}

const IN_INSERT = 'CREATE TRIGGER wait_for_test BEFORE INSERT ON %s FOR EACH ROW';
const IN_COMMIT =
  'CREATE CONSTRAINT TRIGGER wait_for_test AFTER INSERT ON %s DEFERRABLE INITIALLY DEFERRED FOR EACH ROW';

test.each([
  ['a connection to a worker that is cut before a COMMIT', 'UNAVAILABLE', IN_INSERT, cut, false],
  ['a connection to a worker that is cut in a COMMIT', 'RESULT_UNKNOWN', IN_COMMIT, cut, true],
  ['a session of a worker that ends in a COMMIT', 'RESULT_UNKNOWN', IN_COMMIT, endSession, false],
])('%s gives %s by both APIs', async (name, reason, trigger, fault, isMade) => {
  await onWorker(`${trigger.replace('%s', shard)} EXECUTE FUNCTION wait_for_test()`);
  for (const index of [0, 1]) {
    // Its sessions are new, so that none has lost its worker before.
    const gateway = await startGateway({ DATABASE_URL: made.url });
    const api = bothApis(() => gateway.url)[index];
    const title = `${name} ${index}`;
    const request = () => reasonOf(api?.createApp(tenant.token, { title, active: true }) ?? Promise.reject());
    try {
      expect(await duringWait(request, fault)).toBe(reason);
    } finally {
      await gateway.stop();
    }
    const apps = await rowsOf(worker, 'app', tenant.account);
    expect(apps.some((app) => app['title'] === title)).toBe(isMade);
  }
  await onWorker(`DROP TRIGGER wait_for_test ON ${shard}`);
});

test('a transaction whose worker is lost before its COMMIT is sent is no success', async () => {
  await onDatabase(made.url, async (database) => {
    const changed = database.transaction(async (transaction) => {
      await setRow(transaction, tenant.account, { title: 'Lost' });
      proxy.cut(true);
    });
    await expect(changed).rejects.toMatchObject({ reason: 'RESULT_UNKNOWN' });
    proxy.cut(false);
  });
  expect(await rowOf(worker, tenant.account)).not.toMatchObject({ title: 'Lost' });
});
