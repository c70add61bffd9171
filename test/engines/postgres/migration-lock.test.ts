import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../../src/storage/open-database.ts';
import { makeDatabase, migrateDatabase } from '../../support/gateway.ts';
import { LONG_TIMEOUT } from '../../support/long-deadlines.ts';
import { newerProgram } from '../../support/newer-program.ts';

// The second statement would wait for a process that waits for the migration, and holds a lock on this table.
const MIGRATION = `ALTER TABLE wallet ADD COLUMN of_next TEXT;
ALTER TABLE schema_migration ADD COLUMN of_next TEXT;
`;

const WAITING = `SELECT pid, xact_start::text AS start FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock' ORDER BY xact_start`;

test('a migration waits for another one for longer than a statement may take, and both succeed', async () => {
  const made = await makeDatabase();
  const database = await openDatabase(made.url, LONG_TIMEOUT);
  const program = newerProgram(MIGRATION);
  onTestFinished(async () => {
    await database.close();
    await made.remove();
  });
  await migrateDatabase(made.url);
  // A snapshot from before the wait would not contain the other migration.
  const name = new URL(made.url).pathname.slice(1);
  await database.write(`ALTER DATABASE "${name}" SET default_transaction_isolation = 'repeatable read'`);
  const migrate = (timeout: string) =>
    program.run(['migrate', '--json'], { DATABASE_URL: made.url, PAW_POSTGRES_TIMEOUT: timeout });
  const results = await database.transaction(async (transaction) => {
    await transaction.write('LOCK TABLE wallet');
    const first = migrate('60s');
    await expect.poll(() => database.read(WAITING)).toHaveLength(1);
    const second = migrate('1s');
    const attempts = new Set<unknown>();
    const attemptCount = async () => {
      const [, other] = await database.read(WAITING);
      if (other !== undefined) attempts.add(other['start']);
      return attempts.size;
    };
    await expect.poll(attemptCount).toBeGreaterThan(3);
    return [first, second];
  });
  const [first, second] = await Promise.all(results);
  expect(first).toMatchObject({ status: 0, stderr: '' });
  expect(second).toMatchObject({ status: 0, stderr: '' });
  expect(JSON.parse(first?.stdout ?? '').applied).toHaveLength(1);
  expect(JSON.parse(second?.stdout ?? '').applied).toEqual([]);
});
