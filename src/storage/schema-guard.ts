import { ApiError, unavailable } from '../model/api-error.ts';
import type { Database } from './database.ts';
import { latestVersion } from './migrations.ts';
import { DatabaseVersionError } from './schema-version.ts';

/** Receives the changes of a schema that another program has migrated. */
export type SchemaEvents = {
  /** The schema is newer than this program and than before, and compatible. */
  onNewer(version: number): void;
  /** The program can't use the schema any more. */
  onIncompatible(error: DatabaseVersionError): void;
};

// Without a load balancer, nobody calls the readiness check.
const CHECK_INTERVAL_MS = 10_000;

/**
 * Returns a database that notices when another program migrates the schema while this one runs. As long as the program
 * can't use the schema, all statements are refused as UNAVAILABLE. The schema is checked with each check of the
 * readiness, and every 10 s.
 *
 * @param version the schema version at the start
 */
export function guardSchema(
  database: Database,
  version: number,
  { onNewer, onIncompatible }: SchemaEvents,
): Database {
  let known = latestVersion();
  reportNewer(version);
  let refusal: DatabaseVersionError | undefined;

  function reportNewer(current: number): void {
    if (current > known) onNewer(current);
    known = Math.max(known, current);
  }

  async function checkReady(): Promise<number> {
    try {
      const current = await database.checkReady();
      refusal = undefined;
      reportNewer(current);
      return current;
    } catch (error) {
      const cause = error instanceof ApiError ? error.cause : undefined;
      if (cause instanceof DatabaseVersionError) {
        if (refusal === undefined) onIncompatible(cause);
        refusal = cause;
      }
      throw error;
    }
  }

  const refuse = () => Promise.reject(unavailable(refusal));

  // A failed check says nothing new: requests fail and are logged.
  const timer = setInterval(() => checkReady().catch(() => {}), CHECK_INTERVAL_MS).unref();

  async function close(): Promise<void> {
    clearInterval(timer);
    await database.close();
  }

  function guard(target: Database): Database {
    const guarded: Database = {
      read: (sql, params) => (refusal === undefined ? target.read(sql, params) : refuse()),
      write: (sql, params) => (refusal === undefined ? target.write(sql, params) : refuse()),
      queryAndInsert: (sql, params, insertion) =>
        refusal === undefined ? target.queryAndInsert(sql, params, insertion) : refuse(),
      transaction: (work, first) => (refusal === undefined ? target.transaction(work, first) : refuse()),
      during(request) {
        const own = target.during(request);
        return own === target ? guarded : guard(own);
      },
      checkReady,
      close,
    };
    return guarded;
  }

  return guard(database);
}
