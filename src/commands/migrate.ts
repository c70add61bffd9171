import { readConfig } from '../config.ts';
import { ConfigError } from '../model/errors.ts';
import { sqlitePath } from '../storage/database-url.ts';
import { migrate as migrateDatabase } from '../storage/jobs/migrate.ts';
import { type MigrationPlan, planMigrations, planNewDatabase } from '../storage/jobs/plan-migrations.ts';
import {
  assertUsable,
  LATEST_VERSION,
  MIGRATIONS,
  migrationsAfter,
  NO_SCHEMA,
  readSchemaVersion,
} from '../storage/migrations/migrations.ts';
import type { Engine } from '../storage/port/engine.ts';
import { throttled } from '../storage/port/progress.ts';
import { DatabaseMissingError } from '../storage/sqlite/open-sqlite.ts';
import { type Arguments, type Command, flag, optional, UsageError } from './line/command.ts';
import { meter } from './line/meter.ts';
import { cancelOnSignals } from './line/signals.ts';
import { whileOpen } from './line/with-database.ts';

export const migrate: Command = {
  name: 'migrate',
  summary: 'Creates or migrates the tables of the database.',
  options: {
    'dry-run': flag('Prints the statements, and changes nothing.'),
    distribute: flag('Distributes the tables over the nodes of a PostgreSQL with Citus.'),
    shards: optional('<number>', 'The number of shards, 1 to 64000; 32 by default.'),
  },
  async run(args) {
    const shardCount = shardCountOf(args);
    if (args.isSet('dry-run')) return dryRun(args);
    const { databaseUrl, postgres } = readConfig();
    if (shardCount !== undefined && sqlitePath(databaseUrl) !== undefined)
      throw new ConfigError(
        'DATABASE_URL must be that of a PostgreSQL with Citus, which distributes tables.',
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
        lines.push('All tables were distributed before.');
      args.print({ version, ...changes }, [...lines, versionLine(version)].join('\n'));
    });
  },
};

/** Returns the functions that show how far a migration is. Without a terminal, it says only for what it waits. */
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
  if (isSet('dry-run')) throw new UsageError('--distribute has no --dry-run.');
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
  const { schema, plans } = await whileOpen(databaseUrl, { postgres, isReadOnly: true }, planOf).catch(
    (error) => {
      if (error instanceof DatabaseMissingError)
        return { schema: NO_SCHEMA, plans: planNewDatabase(MIGRATIONS) };
      throw error;
    },
  );
  const { version } = schema;
  if (version > LATEST_VERSION) assertUsable(schema);
  const serversContinue = plans.every(({ stops }) => stops !== 'SERVERS');
  const missing = plans.map(({ version: _, batches: __, ...plan }) => plan);
  const lines =
    plans.length > 0
      ? [heading(version, plans), ...plans.map((plan) => script(plan, version))]
      : [versionLine(version)];
  print({ version, serversContinue, missing }, lines.join('\n\n'));
}

async function planOf(database: Engine) {
  await database.assertEncoding();
  const schema = await readSchemaVersion(database);
  const { version } = schema;
  return { schema, plans: await planMigrations(database, migrationsAfter(version, database), version) };
}

function heading(version: number, plans: readonly MigrationPlan[]): string {
  if (version === 0) return '-- The database has no tables.';
  const stops = new Set(plans.map((plan) => plan.stops));
  const advice = stops.has('SERVERS')
    ? 'Stop its servers first.'
    : `Its servers continue to serve${stops.has('WRITES') ? ', but writes wait' : ''}.`;
  return `-- The database has schema version ${version}. ${advice}`;
}

function script(plan: MigrationPlan, version: number): string {
  const title = version === 0 ? plan.name : `${plan.name}: ${effect(plan)}`;
  return [`-- ${title}`, ...plan.statements.map((statement) => `${statement.trim()};`)].join('\n');
}

function effect({ stops, stopSeconds, seconds }: MigrationPlan): string {
  const about = (time: number | null) => (time === null ? 'an unknown time' : `about ${Math.max(1, time)} s`);
  if (stops === 'SERVERS') return `${about(seconds)}, while the servers are stopped`;
  if (stops === 'WRITES') return `${about(seconds)}; writes wait for ${about(stopSeconds)}`;
  return `${about(seconds)}, beside the servers; a request can wait for a second`;
}
