import type { Database } from '../../storage/interface/database.ts';

/** Returns a database that its first statement opens. Checks before need no database, and create none. */
export function openedOnUse(open: () => Promise<Database>): Database {
  let opened: Promise<Database> | undefined;
  const use = () => {
    opened ??= open();
    return opened;
  };
  const database: Database = {
    read: async (sql, params) => (await use()).read(sql, params),
    write: async (sql, params) => (await use()).write(sql, params),
    transaction: async (work) => (await use()).transaction(work),
    writeIfFirst: async (changes) => (await use()).writeIfFirst(changes),
    forRequest: () => database,
  };
  return database;
}
