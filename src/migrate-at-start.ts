import type { Config } from './config.ts';
import { migrate } from './storage/jobs/run-migrations.ts';
import {
  assertMigratesBesideServers,
  LATEST_VERSION,
  readSchemaVersion,
} from './storage/migrations/versions.ts';
import { openDatabase } from './storage/open-database.ts';
import { throttled } from './storage/work/progress.ts';

/**
 * Migrates the database of a server before it starts, and logs the steps. It has a separate connection, because the time
 * limits of requests don't apply to a migration.
 *
 * @throws Error if the schema can't be migrated; in production also if the database has no tables, or its servers would have
 *   to be stopped
 * @throws the reason of the signal, which the next start continues
 */
export async function migrateAtStart(
  config: Config,
  logger: Record<'info' | 'warn', (fields: object, message: string) => void>,
  { now, signal }: { readonly now: number; readonly signal: AbortSignal | undefined },
): Promise<void> {
  const { databaseUrl, postgres, createDatabase: create } = config;
  const database = await openDatabase(databaseUrl, { postgres, create });
  try {
    if (!create) assertMigratesBesideServers(await readSchemaVersion(database));
    const { version, applied } = await migrate(database, now, {
      signal,
      onStep: (step) => logger.info({ step }, 'migrating the database'),
      onWait: throttled((wait: string) => logger.info({ wait }, 'migrating the database')),
      onProgress: throttled((rows: number, of: number) =>
        logger.info({ rows, of }, 'migrating the database'),
      ),
    });
    for (const migration of applied) logger.info({ migration }, 'applied a migration');
    if (version > LATEST_VERSION) {
      logger.warn({ version, supported: LATEST_VERSION }, 'the database schema is newer, and compatible');
    }
  } finally {
    await database.close();
  }
}
