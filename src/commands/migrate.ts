import { readConfig } from '../config.ts';
import { migrate as migrateDatabase, missingMigrations } from '../storage/migrate.ts';
import { latestVersion, type Migration, readMigrations } from '../storage/migrations.ts';
import { openDatabase } from '../storage/open-database.ts';
import { DatabaseMissingError } from '../storage/sqlite.ts';
import type { Arguments, Command } from './command.ts';

export const migrate: Command = {
  name: 'migrate',
  summary: 'Creates or migrates the tables of the database.',
  options: { 'dry-run': { description: 'Prints the statements, and changes nothing.' } },
  async run(args) {
    if (args.flag('dry-run')) return dryRun(args);
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
  const migrations = await findMissing(args);
  const missing = migrations.map(({ name, compatibleFrom, statements }) => ({
    name,
    compatibleFrom,
    statements,
  }));
  args.print({ missing }, migrations.map(script).join('\n\n') || 'No migration is missing.');
}

/** Returns the missing migrations of a database. A file that does not exist is not created. */
async function findMissing({ environment }: Arguments): Promise<readonly Migration[]> {
  const { databaseUrl, postgres } = readConfig(environment);
  try {
    const database = await openDatabase(databaseUrl, { postgres, create: false });
    try {
      return await missingMigrations(database);
    } finally {
      await database.close();
    }
  } catch (error) {
    if (!(error instanceof DatabaseMissingError)) throw error;
    return readMigrations();
  }
}

/** Returns the statements of a migration as a script. */
function script({ version, name, compatibleFrom, statements }: Migration): string {
  const heading =
    compatibleFrom < version
      ? `-- ${name}: programs of version ${compatibleFrom} and later continue to serve`
      : `-- ${name}: stop all programs of earlier versions first`;
  return [heading, ...statements.map((statement) => `${statement.trim()};`)].join('\n');
}
