import { indexOf, type Migration } from '../migrations/migrations.ts';
import type { Engine } from '../port/engine.ts';
import { countTable } from './bulk-rows.ts';

/** What a migration does to a database and its servers, which are of an earlier version. */
export type MigrationPlan = Migration & {
  /** What can't go on meanwhile. A request can always wait a second for a lock. */
  readonly stops: 'SERVERS' | 'WRITES' | 'NOTHING';
  /** About how long that stops, in seconds; null if it is not known. */
  readonly stopSeconds: number | null;
  /** About how long all of it takes, in seconds; null if it is not known. */
  readonly seconds: number | null;
};

// Measured with a million wallets on two cores, beside requests.
const CHANGED_ROWS_PER_SECOND = 20_000;
const BATCHED_ROWS_PER_SECOND = 5_000;
const INDEXED_ROWS_PER_SECOND = 500_000;

const CHANGED_TABLE = /^(?:UPDATE|DELETE FROM) (\w+)/m;

/** What changes no rows. A default with a function is one value for each row, and only PostgreSQL drops a column so. */
const AT_ONCE = /^(CREATE TABLE|DROP TABLE|DROP INDEX|ALTER TABLE \w+ (ADD COLUMN(?![\s\S]*\()|RENAME))/m;
const AT_ONCE_BESIDE_WRITERS = /^ALTER TABLE \w+ DROP COLUMN/m;

/** Returns what the migrations of a database without tables do: nothing has to wait. */
export function planNewDatabase(migrations: readonly Migration[]): readonly MigrationPlan[] {
  return migrations.map((migration) => ({ ...migration, stops: 'NOTHING', stopSeconds: 0, seconds: 0 }));
}

/** Returns what each of the missing migrations of a database does. @param version the schema version of the database */
export async function planMigrations(
  database: Pick<Engine, 'read' | 'hasOneWriter'>,
  migrations: readonly Migration[],
  version: number,
): Promise<readonly MigrationPlan[]> {
  if (version === 0) return planNewDatabase(migrations);
  const { hasOneWriter } = database;
  const created = migrations
    .flatMap(({ statements }) => statements)
    .join('\n')
    .matchAll(/^CREATE TABLE (\w+)/gm);
  const counts = new Map(Array.from(created, ([, table = '']) => [table, 0]));
  async function secondsOf({ batches }: Migration, statement: string): Promise<number> {
    if (AT_ONCE.test(statement) || (!hasOneWriter && AT_ONCE_BESIDE_WRITERS.test(statement))) return 0;
    const index = indexOf(statement);
    const table = index?.table ?? CHANGED_TABLE.exec(statement)?.[1];
    if (table === undefined) return Number.NaN;
    const rows = counts.get(table) ?? (await countTable(database, table)) ?? Number.NaN;
    counts.set(table, rows);
    if (index) return rows / INDEXED_ROWS_PER_SECOND;
    return rows / (batches ? BATCHED_ROWS_PER_SECOND : CHANGED_ROWS_PER_SECOND);
  }

  const plans: MigrationPlan[] = [];
  for (const migration of migrations) {
    const { batches, compatibleFrom, statements } = migration;
    let [seconds, waitSeconds] = [0, 0];
    for (const statement of statements) {
      const ofStatement = await secondsOf(migration, statement);
      seconds += ofStatement;
      if (!batches || (hasOneWriter && indexOf(statement))) waitSeconds += ofStatement;
    }
    const needsStop = compatibleFrom > version;
    const stops = needsStop ? 'SERVERS' : waitSeconds < 1 ? 'NOTHING' : 'WRITES';
    const stopSeconds = needsStop ? seconds : stops === 'WRITES' ? waitSeconds : 0;
    plans.push({ ...migration, stops, stopSeconds: rounded(stopSeconds), seconds: rounded(seconds) });
  }
  return plans;
}

function rounded(seconds: number): number | null {
  return Number.isNaN(seconds) ? null : Math.ceil(seconds);
}
