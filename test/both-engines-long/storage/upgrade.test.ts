import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { LATEST_VERSION } from '../../../src/storage/migrations.ts';
import { createApp, signIn } from '../../support/actors.ts';
import { bothApis, send } from '../../support/apis.ts';
import { onDatabase } from '../../support/engine.ts';
import {
  adminContext,
  makeDatabase,
  migrateDatabase,
  seedTenant,
  startGateway,
  type Tenant,
  type TestDatabase,
} from '../../support/gateway.ts';
import { type NewerProgram, newerProgram } from '../../support/newer-program.ts';
import {
  logLines,
  paw,
  pawJson,
  pawProcess,
  type RunningServer,
  startServerProcess,
} from '../../support/paw.ts';

const OLD = LATEST_VERSION;
const NEW = OLD + 1;

const NEWER = 'the database schema is newer, and compatible';

const REFUSAL = `The database has schema version ${NEW}, but this program supports versions up to ${OLD}. Use a newer program.`;

// The result of a check is remembered for a second.
const POLL = { timeout: 30_000, interval: 50 };

// Everything that an older program does not notice: columns with a default, a table, an index.
const COMPATIBLE = `-- compatible-from: ${OLD}
${['account', 'project', 'app', 'wallet', 'token'].map((table) => `ALTER TABLE ${table} ADD COLUMN note TEXT NOT NULL DEFAULT '';`).join('\n')}

CREATE TABLE wallet_note (account_id TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (account_id, id));

CREATE INDEX wallet_by_title ON wallet (account_id, title);
`;

const INCOMPATIBLE =
  'CREATE TABLE wallet_note (account_id TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (account_id, id));\n';

let made: TestDatabase;
let settings: { readonly DATABASE_URL: string };
let tenant: Tenant;

beforeEach(async () => {
  made = await makeDatabase();
  settings = { DATABASE_URL: made.url };
  await migrateDatabase(made.url);
  tenant = await onDatabase(made.url, (database) =>
    seedTenant({ admin: adminContext(database) }, { projects: 2, wallets: 1 }),
  );
});

afterEach(() => made.remove());

/** Makes the next version of the program, with one migration. */
function nextProgram(migration: string): NewerProgram {
  const program = newerProgram(migration);
  onTestFinished(program.remove);
  return program;
}

const readiness = async ({ url }: RunningServer) => (await send(`${url}/readyz`, 'GET')).status;

/** Calls all four operations by both APIs. */
async function useAll({ url }: RunningServer): Promise<void> {
  for (const api of bothApis(() => url)) {
    const { name, privateKey } = await createApp(api, tenant.token);
    const { accessToken } = await signIn(api, tenant.token, { name, privateKey });
    expect((await api.listProjects(accessToken)).value?.projects).toHaveLength(1);
    expect((await api.listProjects(tenant.token)).value?.projects).toHaveLength(2);
    const { value } = await api.updateWallet(tenant.token, tenant.wallets[0] ?? '', { title: api.name });
    expect(value?.title).toBe(api.name);
  }
}

describe('after a migration that is compatible', () => {
  test('running servers of the old version keep serving, and can be started again, which the log says', async () => {
    const old = await startServerProcess(settings);
    await useAll(old);
    const program = nextProgram(COMPATIBLE);
    const dryRun = await program.run(['migrate', '--dry-run'], settings);
    expect(dryRun.stdout).toMatch(
      `-- The database has schema version ${OLD}. Its servers continue to serve.\n`,
    );
    expect(await program.run(['migrate', '--json'], settings)).toMatchObject({
      status: 0,
      stdout: `{"version":${NEW},"applied":["${String(NEW).padStart(4, '0')}-next"]}\n`,
    });
    await useAll(old);

    const next = await program.serve(settings);
    expect(await old.stop('SIGTERM')).toMatchObject({ status: 0 });
    await useAll(next);

    const again = await startServerProcess(settings);
    expect(logLines(again.output()).filter(({ msg }) => msg === NEWER)).toMatchObject([
      { level: 40, version: NEW, supported: OLD },
    ]);
    expect(await readiness(again)).toBe(200);
    await useAll(again);
    await useAll(next);
    expect(await next.stop('SIGTERM')).toMatchObject({ status: 0 });
    expect(next.output()).not.toContain(NEWER);
  });

  test('the old "paw migrate" changes nothing, and the other commands are refused', async () => {
    await nextProgram(COMPATIBLE).run(['migrate'], settings);
    expect(await paw(['migrate'], settings)).toEqual({
      status: 0,
      stdout: `The schema version is ${NEW}, which is compatible with this program of version ${OLD}.\n`,
      stderr: '',
    });
    expect(await pawJson(['migrate', '--dry-run'], settings)).toEqual({
      version: NEW,
      serversContinue: true,
      missing: [],
    });
    const { status, stderr } = await paw(['account', 'list'], settings);
    expect({ status, stderr }).toEqual({ status: 1, stderr: `paw: ${REFUSAL}\n` });
  });
});

test('after a migration that is not compatible, servers of the old version are not ready and do not start', async () => {
  const old = await startServerProcess(settings);
  await useAll(old);
  const program = nextProgram(INCOMPATIBLE);
  await program.run(['migrate'], settings);
  await expect.poll(() => readiness(old), POLL).toBe(503);
  expect((await send(`${old.url}/healthz`, 'GET')).status).toBe(200);
  expect(old.output()).toContain(JSON.stringify(REFUSAL).slice(1, -1));
  expect(await old.stop('SIGTERM')).toMatchObject({ status: 0 });

  for (const words of [['serve'], ['migrate'], ['migrate', '--dry-run']]) {
    expect(await pawProcess(words, { PORT: '0', ...settings })).toEqual({
      status: 1,
      stdout: '',
      stderr: `paw: ${REFUSAL}\n`,
    });
  }
  const next = await program.serve(settings);
  await useAll(next);
});

test.each([
  ['all newer migrations are compatible with it', [OLD, OLD - 1], true],
  ['one of the newer migrations is compatible with a later version only', [OLD, NEW], false],
  ['one of the newer migrations is compatible with no earlier version', [NEW, OLD], false],
])('a server starts if %s: %s', async (_, compatibleFrom, starts) => {
  await onDatabase(made.url, async (database) => {
    for (const [index, version] of compatibleFrom.entries()) {
      await database.write(
        'INSERT INTO schema_migration (version, compatible_from, apply_time_ms) VALUES ($1, $2, 0)',
        [NEW + index, version],
      );
    }
  });
  const start = startGateway(settings).then((gateway) => gateway.stop());
  if (starts) await start;
  else await expect(start).rejects.toThrow(/Use a newer program/);
});
