import { localUrl, readConfig } from '../config.ts';
import { PasswordHasher } from '../credentials/password-hasher.ts';
import type { AdminContext, Dependencies } from '../data/dependencies.ts';
import { idGenerator } from '../model/resource-name.ts';
import { assertCurrent, readSchemaVersion } from '../storage/migrations.ts';
import { openDatabase } from '../storage/open-database.ts';
import type { Arguments } from './command.ts';

/**
 * Opens the database of the environment, runs `work`, and closes the database.
 *
 * @throws ConfigError if the configuration is invalid
 * @throws DatabaseVersionError if a migration is needed or the database is newer than the program
 * @throws UNAVAILABLE if the database is unavailable
 */
export async function withDatabase<T>(
  environment: Arguments['environment'],
  work: (admin: AdminContext & Pick<Dependencies, 'database' | 'passwords'>) => Promise<T>,
): Promise<T> {
  const { databaseUrl, postgres, publicUrl, host, port } = readConfig(environment);
  const database = await openDatabase(databaseUrl, { postgres, create: false });
  try {
    assertCurrent(await readSchemaVersion(database));
    return await work({
      database,
      passwords: new PasswordHasher(),
      clock: Date.now,
      newId: idGenerator(Date.now),
      publicUrl: () => publicUrl ?? localUrl(host, port),
    });
  } finally {
    await database.close();
  }
}
