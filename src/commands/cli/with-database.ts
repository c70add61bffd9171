import { localUrl, readConfig } from '../../config.ts';
import { type OperatorContext, operatorContext } from '../../data/call/call.ts';
import { toApiError } from '../../data/call/to-api-error.ts';
import { describeCause } from '../../model/errors.ts';
import { DatabaseUrlError, sqlitePath } from '../../storage/database-url.ts';
import { DatabaseError, unavailable } from '../../storage/interface/database-error.ts';
import type { Engine } from '../../storage/interface/engine.ts';
import { migrate } from '../../storage/jobs/run-migrations.ts';
import { assertCurrent, readSchemaVersion } from '../../storage/migrations/versions.ts';
import { openDatabase } from '../../storage/open-database.ts';
import { type Arguments, UsageError } from './command.ts';
import { openedOnUse } from './opened-on-use.ts';

/**
 * Runs `work` with the database of the environment, which its first statement opens, and closes it. Outside production, a
 * SQLite database that does not exist, or has no tables, is created then.
 *
 * @param options `isReadOnly` for work that only reads: then nothing is created, and no file is changed
 * @throws ConfigError if the configuration is invalid
 * @throws Error if a migration is needed or the database is newer than the program
 * @throws UNAVAILABLE if the database is unavailable
 */
export async function withDatabase<T>(
  { note }: Pick<Arguments, 'note'>,
  work: (operator: OperatorContext) => Promise<T>,
  { isReadOnly = false } = {},
): Promise<T> {
  const { databaseUrl, createDatabase, postgres, publicUrl, host, port } = readConfig();
  const path = sqlitePath(databaseUrl);
  await using opening = new AsyncDisposableStack();
  const open = async () => {
    const database = await openDatabase(databaseUrl, { postgres, create: createDatabase, isReadOnly });
    opening.defer(() => database.close());
    const schema = await readSchemaVersion(database);
    if (schema.version === 0 && path !== undefined && createDatabase && !isReadOnly) {
      await migrate(database, Date.now());
      // So that a misspelt path is noticed.
      note(`Created the database ${path}.`);
    } else assertCurrent(schema);
    return database;
  };
  return await work(operatorContext(openedOnUse(open), () => publicUrl ?? localUrl(host, port)));
}

export async function whileOpen<T>(
  url: string,
  options: Parameters<typeof openDatabase>[1],
  work: (database: Engine) => Promise<T>,
): Promise<T> {
  const database = await openDatabase(url, options);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Returns a handler of errors that names an argument, instead of DATABASE_URL, in an error about its URL. */
export function urlIn(argument: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof DatabaseUrlError)) throw error;
    throw new UsageError(error.message.replace('DATABASE_URL', argument));
  };
}

/** Checks that the schema of the database of an argument is current, as `assertCurrent` does. An outage names the argument. */
export async function assertCurrentIn(
  argument: string,
  database: Pick<Engine, 'read'>,
  subject: string,
): Promise<void> {
  const schema = await readSchemaVersion(database, subject).catch((error: unknown) => {
    if (!(error instanceof DatabaseError)) throw error;
    throw unavailable(new Error(`${argument}: ${describeCause(toApiError(error))}`), error.outage);
  });
  assertCurrent(schema, subject);
}
