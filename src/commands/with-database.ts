import { localUrl, readConfig } from '../config.ts';
import { idGenerator, type Ulid } from '../model/resource-name.ts';
import type { Database } from '../storage/database.ts';
import { migrate } from '../storage/migrate.ts';
import { openDatabase } from '../storage/open-database.ts';
import type { Arguments } from './command.ts';

/** What the commands that change the database work with. */
export type AdminContext = {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  /** Tells the time, in Unix milliseconds. */
  readonly clock: () => number;
  /** Makes a ULID that sorts after all it made before. */
  readonly newId: () => Ulid;
};

/**
 * Runs a command's work on the database that the environment names, and closes it.
 *
 * @param work is also given the URL that clients reach the gateway at
 */
export async function withDatabase<T>(
  environment: Arguments['environment'],
  work: (admin: AdminContext, publicUrl: string) => Promise<T>,
): Promise<T> {
  const { databaseUrl, postgres, publicUrl, host, port } = readConfig(environment);
  const database = await openDatabase(databaseUrl, postgres);
  try {
    await migrate(database, Date.now());
    const admin = { database, clock: Date.now, newId: idGenerator(Date.now) };
    return await work(admin, publicUrl ?? localUrl(host, port));
  } finally {
    await database.close();
  }
}
