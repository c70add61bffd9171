import { readConfig } from '../config.ts';
import {
  type MigrationPlan,
  migrate as migrateDatabase,
  planFrom,
  planMigration,
} from '../storage/migrate.ts';
import { latestVersion, type Migration } from '../storage/migrations.ts';
import { openDatabase } from '../storage/open-database.ts';
import { DatabaseMissingError } from '../storage/sqlite/open-sqlite.ts';
import type { Arguments, Command } from './command.ts';

export const migrate: Command = {
  name: 'migrate',
  summary: 'Creates or migrates the tables of the database.',
  options: { 'dry-run': { description: 'Prints the statements, and changes nothing.' } },
  async run(args) {
    if (args.isSet('dry-run')) return dryRun(args);
    const { databaseUrl, postgres } = readConfig(args.environment);
    const database = await openDatabase(databaseUrl, { postgres, create: true });
    try {
      const { version, applied } = await migrateDatabase(database, Date.now());
      const lines = applied.map((name) => `Applied ${name}.`);
      args.print({ version, applied }, [...lines, versionLine(version)].join('\n'));
    } finally {
      await database.close();
    }
  },
};

function versionLine(version: number): string {
  const latest = latestVersion();
  if (version === latest) return `The schema version is ${version}.`;
  return `The schema version is ${version}, which is compatible with this program of version ${latest}.`;
}

async function dryRun(args: Arguments): Promise<void> {
  const { version, serversContinue, missing } = await readPlan(args);
  const migrations = missing.map(({ name, compatibleFrom, statements }) => ({
    name,
    compatibleFrom,
    statements,
  }));
  const heading =
    version === 0
      ? '-- The database has no tables.'
      : `-- The database has schema version ${version}. ${serversContinue ? 'Its servers continue to serve.' : 'Stop its servers first.'}`;
  const lines = missing.length > 0 ? [heading, ...missing.map(script)] : [versionLine(version)];
  args.print({ version, serversContinue, missing: migrations }, lines.join('\n\n'));
}

/** Returns the plan of a migration. A file that does not exist is not created. */
async function readPlan({ environment }: Arguments): Promise<MigrationPlan> {
  const { databaseUrl, postgres } = readConfig(environment);
  try {
    const database = await openDatabase(databaseUrl, { postgres, create: false });
    try {
      return await planMigration(database);
    } finally {
      await database.close();
    }
  } catch (error) {
    if (!(error instanceof DatabaseMissingError)) throw error;
    return planFrom(0);
  }
}

/** Returns the statements of a migration as a script. */
function script({ name, statements }: Migration): string {
  return [`-- ${name}`, ...statements.map((statement) => `${statement.trim()};`)].join('\n');
}
