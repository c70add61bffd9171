import { indexOf, type Migration } from '../migrations/migrations.ts';

/** What a migration does to a database and its servers, which are of an earlier version. */
export type MigrationPlan = Migration & {
  /** What has to be stopped, or waits for longer than the second that a lock can take. */
  readonly stops: 'SERVERS' | 'WRITES' | 'NOTHING';
  /** About how long that stops, in seconds; null if the rows are not counted within the time of a statement. */
  readonly stopSeconds: number | null;
  /** About how long all of it takes, in seconds. */
  readonly seconds: number | null;
};

type PlanOptions = {
  /** The schema version of the database. */
  readonly version: number;
  /** Whether writes also wait for an index that is not created in a transaction. */
  readonly writesWaitForIndex: boolean;
  /** Returns the number of rows of a table; undefined if they are not counted in time. */
  readonly countRows: (table: string) => Promise<number | undefined>;
};

// Measured with a million wallets on two cores, beside requests.
const CHANGED_ROWS_PER_SECOND = 20_000;
const BATCHED_ROWS_PER_SECOND = 10_000;
const INDEXED_ROWS_PER_SECOND = 500_000;

const CHANGED_TABLE = /^(?:UPDATE|DELETE FROM) (\w+)/m;

/** Returns what each of the missing migrations of a database does. Only a statement on many rows takes long. */
export async function planMigrations(
  migrations: readonly Migration[],
  { version, writesWaitForIndex, countRows }: PlanOptions,
): Promise<readonly MigrationPlan[]> {
  const created = migrations.flatMap(({ statements }) => statements).join('\n');
  const plans: MigrationPlan[] = [];
  for (const migration of migrations) {
    let [seconds, stopSeconds] = [0, 0];
    for (const statement of migration.statements) {
      const index = indexOf(statement);
      const table = index?.table ?? CHANGED_TABLE.exec(statement)?.[1];
      if (table === undefined || created.includes(`CREATE TABLE ${table} `)) continue;
      const rows = (await countRows(table)) ?? Number.NaN;
      const ofStatement = rows / rateOf(migration, index !== undefined);
      seconds += ofStatement;
      if (!migration.batches || (index && writesWaitForIndex)) stopSeconds += ofStatement;
    }
    const isStop = version > 0 && migration.compatibleFrom > version;
    const stops = isStop ? 'SERVERS' : stopSeconds < 1 ? 'NOTHING' : 'WRITES';
    plans.push({
      ...migration,
      stops,
      stopSeconds: rounded(isStop ? seconds : stopSeconds),
      seconds: rounded(seconds),
    });
  }
  return plans;
}

function rateOf({ batches }: Migration, isIndex: boolean): number {
  if (isIndex) return INDEXED_ROWS_PER_SECOND;
  return batches ? BATCHED_ROWS_PER_SECOND : CHANGED_ROWS_PER_SECOND;
}

function rounded(seconds: number): number | null {
  return Number.isNaN(seconds) ? null : Math.ceil(seconds);
}
