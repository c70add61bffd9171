import { localUrl, readConfig } from '../config.ts';
import { PasswordHasher } from '../credentials/password-hasher.ts';
import type { AdminContext, Dependencies } from '../data/dependencies.ts';
import { idGenerator } from '../model/resource-name.ts';
import type { Database } from '../storage/database.ts';
import { assertCurrent, readSchemaVersion } from '../storage/migrations.ts';
import { openDatabase } from '../storage/open-database.ts';
import type { Arguments } from './command.ts';

/** The dependencies of the operations of commands. */
export type Admin = AdminContext & Pick<Dependencies, 'database' | 'passwords'>;

/**
 * Opens the database of the environment, runs `work`, and closes the database.
 *
 * @throws ConfigError if the configuration is invalid
 * @throws DatabaseVersionError if a migration is needed or the database is newer than the program
 * @throws UNAVAILABLE if the database is unavailable
 */
export async function withDatabase<T>(
  { environment }: Pick<Arguments, 'environment'>,
  work: (admin: Admin) => Promise<T>,
): Promise<T> {
  const { databaseUrl, postgres, publicUrl, host, port } = readConfig(environment);
  return whileOpen(databaseUrl, { postgres, create: false }, async (database) => {
    assertCurrent(await readSchemaVersion(database));
    return work({
      database,
      passwords: new PasswordHasher(),
      clock: Date.now,
      newId: idGenerator(Date.now),
      publicUrl: () => publicUrl ?? localUrl(host, port),
    });
  });
}

/** Opens a database, runs `work`, and closes the database. See `openDatabase`. */
export async function whileOpen<T>(
  url: string,
  options: Parameters<typeof openDatabase>[1],
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = await openDatabase(url, options);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
