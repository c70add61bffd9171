import { readConfig } from '../config.ts';
import { ConfigError } from '../model/errors.ts';
import { sqlitePath } from '../storage/database-url.ts';
import type { Engine } from '../storage/interface/engine.ts';
import { countTable } from '../storage/jobs/bulk-rows.ts';
import { migrate as migrateDatabase } from '../storage/jobs/run-migrations.ts';
import {
  assertUsable,
  LATEST_VERSION,
  MIGRATIONS,
  type Migration,
  migrationsAfter,
  NO_SCHEMA,
  readSchemaVersion,
} from '../storage/migrations/versions.ts';
import { DatabaseMissingError } from '../storage/sqlite/open-sqlite.ts';
import { throttled } from '../storage/work/progress.ts';
import { type Arguments, type Command, flag, optionalOption, UsageError } from './cli/command.ts';
import { meter } from './cli/meter.ts';
import { cancelOnSignals } from './cli/signals.ts';
import { whileOpen } from './cli/with-database.ts';

export const migrate: Command = {
  synopsis: 'migrate',
  summary: 'Creates or migrates the tables of the database.',
  options: {
    'dry-run': flag('Prints the statements, and changes nothing.'),
    distribute: flag('Distributes the tables over the nodes of a Citus cluster.'),
    shards: optionalOption('<number>', 'The number of shards, 1 to 64000; 32 by default.'),
  },
  async run(args) {
    const shardCount = shardCountOf(args);
    if (args.isSet('dry-run')) return dryRun(args);
    const { databaseUrl, postgres } = readConfig();
    if (shardCount !== undefined && sqlitePath(databaseUrl) !== undefined)
      throw new ConfigError(
        'DATABASE_URL must name a PostgreSQL database with Citus, which distributes tables.',
      );
    await whileOpen(databaseUrl, { postgres, create: true }, async (database) => {
      const options = { shardCount, ...reportsOf(args) };
      const { version, ...changes } = await cancelOnSignals((signal) =>
        migrateDatabase(database, Date.now(), { ...options, signal }),
      );
      const { applied, distributed } = changes;
      const lines = [
        ...applied.map((name) => `Applied ${name}.`),
        ...distributed.map((name) => `Distributed ${name}.`),
      ];
      if (shardCount !== undefined && distributed.length === 0)
        lines.push('All tables are already distributed.');
      args.print({ version, ...changes }, [...lines, versionLine(version)].join('\n'));
    });
  },
};

/** Returns the functions that show how far a migration is. Without a terminal, they show waits only. */
function reportsOf({ terminal, note }: Arguments) {
  const onStep = (text: string) => terminal.progress(`${text}…`);
  return {
    onStep,
    onWait: terminal.isProgressShown() ? onStep : throttled((text: string) => note(`${text}.`)),
    onProgress: meter(terminal, 'Migrated'),
  };
}

const DEFAULT_SHARD_COUNT = 32;

// Source: Citus, citus.shard_count.
const MAX_SHARD_COUNT = 64_000;

function shardCountOf({ values, isSet }: Arguments): number | undefined {
  const { shards } = values;
  if (!isSet('distribute')) {
    if (shards !== undefined) throw new UsageError('--shards needs --distribute.');
    return undefined;
  }
  if (isSet('dry-run')) throw new UsageError('--distribute cannot be combined with --dry-run.');
  if (shards === undefined) return DEFAULT_SHARD_COUNT;
  const count = /^\d+$/.test(shards) ? Number(shards) : 0;
  if (count >= 1 && count <= MAX_SHARD_COUNT) return count;
  throw new UsageError(`--shards must be a number from 1 to ${MAX_SHARD_COUNT}.`);
}

function versionLine(version: number): string {
  if (version === LATEST_VERSION) return `The schema version is ${version}.`;
  return `The schema version is ${version}, which is compatible with this program of version ${LATEST_VERSION}.`;
}

async function dryRun({ print }: Arguments): Promise<void> {
  const { databaseUrl, postgres } = readConfig();
  const found = whileOpen(databaseUrl, { postgres, isReadOnly: true }, missingIn);
  const { schema, missing } = await found.catch((error) => {
    if (!(error instanceof DatabaseMissingError)) throw error;
    return { schema: NO_SCHEMA, missing: MIGRATIONS.map((migration) => withRows(migration, null)) };
  });
  const { version } = schema;
  if (version > LATEST_VERSION) assertUsable(schema);
  const serversContinue = missing.every(({ compatibleFrom }) => compatibleFrom <= version) || version === 0;
  const advice = serversContinue ? 'Its servers continue to serve.' : 'Stop its servers first.';
  const heading =
    version === 0 ? 'The database has no tables.' : `The database has schema version ${version}. ${advice}`;
  const text =
    missing.length > 0 ? [`-- ${heading}`, ...missing.map(script)].join('\n\n') : versionLine(version);
  print({ version, serversContinue, missing }, text);
}

async function missingIn(database: Engine) {
  await database.assertEncoding();
  const schema = await readSchemaVersion(database);
  const migrations = migrationsAfter(schema.version, database);
  const statements = migrations.flatMap((migration) => migration.statements).join('\n');
  const missing = migrations.map(async (migration) => {
    const table = migration.batches?.table;
    // One that an earlier migration creates has no rows.
    const exists = table && !new RegExp(`^CREATE TABLE ${table} `, 'm').test(statements);
    return withRows(migration, exists ? ((await countTable(database, table)) ?? null) : null);
  });
  return { schema, missing: await Promise.all(missing) };
}

/** @param rows the number of the rows that the migration changes in batches; null for one that has none, or if it is not known */
function withRows({ version: _, batches: __, ...migration }: Migration, rows: number | null) {
  return { ...migration, rows };
}

function script({ name, statements, rows }: ReturnType<typeof withRows>): string {
  const title = rows === null ? name : `${name}: ${rows} rows in batches`;
  return [`-- ${title}`, ...statements.map((statement) => `${statement.trim()};`)].join('\n');
}
