import { expect, onTestFinished, test } from 'vitest';
import { LATEST_VERSION } from '../../../src/storage/migrations/versions.ts';
import { openDatabase } from '../../../src/storage/open-database.ts';
import { restApi } from '../../support/both-apis.ts';
import { executeOn, onDatabase } from '../../support/engine.ts';
import { seedDatabase, seedTenant, testDatabase, testGateway } from '../../support/gateway.ts';
import { LONG_TIMEOUT } from '../../support/long-deadlines.ts';
import { DOCUMENTED_MIGRATIONS, newerProgram } from '../../support/newer-program.ts';
import { resultOf } from '../../support/requests.ts';
import { rowsOf, setRow } from '../../support/rows.ts';
import { listening } from '../../support/run-command.ts';

const MIGRATION = `-- compatible-from: ${LATEST_VERSION}
ALTER TABLE wallet ADD COLUMN of_next TEXT;
`;

const WAITING = `SELECT xact_start::text AS start FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%ALTER TABLE%'`;

test('a migration lets go of a table that a transaction uses, so that requests go on, and others wait for it', async () => {
  const made = await testDatabase();
  const { url, operator, stop } = await testGateway({ DATABASE_URL: made.url });
  const { token, wallet } = await seedTenant({ operator }, { wallets: 1 });
  const database = await openDatabase(made.url, LONG_TIMEOUT);
  const program = newerProgram(MIGRATION);
  const migrate = () =>
    program.run(['migrate', '--json'], { DATABASE_URL: made.url, PAW_POSTGRES_TIMEOUT: '1s' });
  const attempts = new Set<unknown>();
  const results = await database.transaction(async (transaction) => {
    // As the transaction of a backup does, for as long as it takes.
    await rowsOf(transaction, 'wallet');
    const both = [migrate(), migrate()];
    while (attempts.size < 3) {
      for (const { start } of await database.read(WAITING)) attempts.add(start);
      await resultOf(restApi(() => url).updateWallet(token, wallet, { title: `No. ${attempts.size}` }));
    }
    return both;
  });
  const ended = await Promise.all(results);
  expect(ended).toMatchObject(ended.map(() => ({ status: 0, stderr: '' })));
  const applied = ended.flatMap(({ stdout }) => JSON.parse(stdout).applied);
  expect(applied).toHaveLength(1);
  await stop();
  await database.close();
});

const INDEX = 'wallet_by_example';

const FIND_INDEX = `SELECT CAST(indexrelid AS BIGINT) AS oid, CASE WHEN indisvalid THEN 1 ELSE 0 END AS is_valid
  FROM pg_index WHERE indexrelid = to_regclass('${INDEX}')`;

const INVALIDATE = `UPDATE pg_index SET indisvalid = false WHERE indexrelid = '${INDEX}'::regclass`;

// The session that creates or drops the index, and waits for another one.
const FIND_WAITING = `SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp() - query_start) * 1000 AS BIGINT) AS ms
  FROM pg_stat_activity WHERE datname = current_database()
    AND query LIKE '% INDEX CONCURRENTLY %${INDEX}%' AND cardinality(pg_blocking_pids(pid)) > 0`;

/** Makes a database with a wallet, and the program of a next version, whose migration creates an index. */
async function beforeIndex() {
  const { url } = await testDatabase();
  const { wallet } = await seedDatabase(url, { wallets: 1 });
  const settings = { DATABASE_URL: url, NODE_ENV: 'production', PORT: '0' };
  await newerProgram(...DOCUMENTED_MIGRATIONS.slice(0, -1)).run(['migrate'], settings);
  const database = await openDatabase(`${url}?application_name=report`, LONG_TIMEOUT);
  onTestFinished(() => database.close());
  const waiting = async () => (await database.read<{ ms: number }>(FIND_WAITING))[0]?.ms ?? 0;
  /** Runs work while a transaction has changed a wallet, for which the creation of an index waits. */
  const whileChanged = <T>(work: (pid: number) => Promise<T>) =>
    database.transaction(async (transaction) => {
      await setRow(transaction, wallet, { title: 'Changed' });
      const [own] = await transaction.read<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      // In an object, so that a promise in it is not awaited.
      return { result: await work(own?.pid ?? 0) };
    });
  const program = newerProgram(...DOCUMENTED_MIGRATIONS);
  const start = (command: string) => {
    const running = program.start([command], settings);
    onTestFinished(async () => void (await running.stop('SIGKILL')));
    return running;
  };
  return { url, database, start, waiting, whileChanged };
}

/** What is printed about a wait for a session. */
function textOfWait(pid: number): RegExp {
  return new RegExp(
    `The index ${INDEX}, begun \\d+ s ago, waits for the session ${pid} \\(report\\), whose transaction is \\d+ s old`,
  );
}

test('no timeout of the role for transactions ends the creation of an index', async () => {
  const { url, database, start, waiting, whileChanged } = await beforeIndex();
  for (const name of ['transaction_timeout', 'idle_in_transaction_session_timeout']) {
    await executeOn(url, `ALTER DATABASE "${new URL(url).pathname.slice(1)}" SET ${name} = '300ms'`);
  }
  const { result } = await whileChanged(async () => {
    const running = start('migrate');
    await expect.poll(waiting).toBeGreaterThan(600);
    return { ended: running.ended };
  });
  expect(await result.ended).toMatchObject({ status: 0 });
  expect(await database.read(FIND_INDEX)).toMatchObject([{ is_valid: 1 }]);
});

test('no timeout of the role ends a transaction of a command, also behind a pooler', async () => {
  const { url } = await testDatabase();
  for (const name of ['transaction_timeout', 'idle_in_transaction_session_timeout']) {
    await executeOn(url, `ALTER DATABASE "${new URL(url).pathname.slice(1)}" SET ${name} = '3s'`);
    for (const search of ['', '?pgbouncer=true', '?pgbouncer=prepared']) {
      const found = await onDatabase(url + search, (database) =>
        database.transaction(({ read }) => read(`SHOW ${name}`)),
      );
      expect(found, search).not.toEqual([{ [name]: '3s' }]);
    }
  }
});

test('an index that the session of a killed migration still creates is waited for, and used', async () => {
  const { database, start, waiting, whileChanged } = await beforeIndex();
  const { result } = await whileChanged(async (pid) => {
    const killed = start('migrate');
    await expect.poll(waiting).toBeGreaterThan(0);
    await killed.stop('SIGKILL');
    const server = start('serve');
    const output = await server.printed('creates an index of wallet');
    expect(output).toMatch(/The session \d+ \(paw-gateway\) creates an index of wallet/);
    expect(output).toMatch(textOfWait(pid));
    return { server, index: await database.read(FIND_INDEX) };
  });
  await listening(result.server);
  expect(result.index).toMatchObject([{ is_valid: 0 }]);
  expect(await database.read(FIND_INDEX)).toEqual(result.index.map((index) => ({ ...index, is_valid: 1 })));
});

test.each(['serve', 'migrate'])(
  'SIGTERM to "paw %s" cancels the creation of an index that waits, and the next one completes it',
  async (command) => {
    const { database, start, waiting, whileChanged } = await beforeIndex();
    await whileChanged(async (pid) => {
      const running = start(command);
      await expect.poll(waiting).toBeGreaterThan(0);
      if (command === 'serve') expect(await running.printed('s ago, waits for')).toMatch(textOfWait(pid));
      expect((await running.stop('SIGTERM')).status).toBe(command === 'serve' ? 0 : null);
      await expect.poll(waiting).toBe(0);
    });
    expect(await start('migrate').ended).toMatchObject({ status: 0, stderr: '' });
    expect(await database.read(FIND_INDEX)).toMatchObject([{ is_valid: 1 }]);
  },
);

test('a migration that has lost a conflict about a row of the catalog tries again', async () => {
  const { database, start, waiting } = await beforeIndex();
  await database.write(`CREATE INDEX ${INDEX} ON wallet (title)`);
  await database.write(INVALIDATE);
  const { ended } = await database.transaction(async (transaction) => {
    await transaction.write(INVALIDATE);
    const running = start('migrate');
    await expect.poll(waiting).toBeGreaterThan(0);
    return { ended: running.ended };
  });
  expect(await ended).toMatchObject({ status: 0 });
  expect(await database.read(FIND_INDEX)).toMatchObject([{ is_valid: 1 }]);
});
