import { readConfig } from '../config.ts';
import { migrate as migrateDatabase } from '../storage/migrate.ts';
import {
  assertUsable,
  LATEST_VERSION,
  type Migration,
  migrationsAfter,
  NO_SCHEMA,
  readSchemaVersion,
} from '../storage/migrations.ts';
import { DatabaseMissingError } from '../storage/sqlite/open-sqlite.ts';
import { type Arguments, type Command, flag } from './command.ts';
import { whileOpen } from './with-database.ts';

export const migrate: Command = {
  name: 'migrate',
  summary: 'Creates or migrates the tables of the database.',
  options: { 'dry-run': flag('Prints the statements, and changes nothing.') },
  async run(args) {
    if (args.isSet('dry-run')) return dryRun(args);
    const { databaseUrl, postgres } = readConfig();
    await whileOpen(databaseUrl, { postgres, create: true }, async (database) => {
      const { version, applied } = await migrateDatabase(database, Date.now());
      const lines = applied.map((name) => `Applied ${name}.`);
      args.print({ version, applied }, [...lines, versionLine(version)].join('\n'));
    });
  },
};

function versionLine(version: number): string {
  if (version === LATEST_VERSION) return `The schema version is ${version}.`;
  return `The schema version is ${version}, which is compatible with this program of version ${LATEST_VERSION}.`;
}

async function dryRun({ print }: Arguments): Promise<void> {
  const { databaseUrl, postgres } = readConfig();
  // A file that does not exist is not created.
  const schema = await whileOpen(databaseUrl, { postgres, create: false }, readSchemaVersion).catch(
    (error) => {
      if (error instanceof DatabaseMissingError) return NO_SCHEMA;
      throw error;
    },
  );
  const { version } = schema;
  if (version > LATEST_VERSION) assertUsable(schema);
  const migrations = migrationsAfter(version);
  const serversContinue =
    version === 0 || migrations.every(({ compatibleFrom }) => compatibleFrom <= version);
  const missing = migrations.map(({ version: _, ...migration }) => migration);
  const advice = serversContinue ? 'Its servers continue to serve.' : 'Stop its servers first.';
  const heading =
    version === 0
      ? '-- The database has no tables.'
      : `-- The database has schema version ${version}. ${advice}`;
  const lines = migrations.length > 0 ? [heading, ...migrations.map(script)] : [versionLine(version)];
  print({ version, serversContinue, missing }, lines.join('\n\n'));
}

/** Returns the statements of a migration as a script. */
function script({ name, statements }: Migration): string {
  return [`-- ${name}`, ...statements.map((statement) => `${statement.trim()};`)].join('\n');
}
