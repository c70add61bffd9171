import { closeSync, existsSync, openSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { DatabaseSync } from 'node:sqlite';
import type * as pg from 'pg';
import { inject } from 'vitest';
import type { Database, Row } from '../../src/storage/interface/database.ts';
import type { Engine } from '../../src/storage/interface/engine.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { LONG_TIMEOUT } from './long-deadlines.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The database engine of the tests. */
    engine: 'sqlite' | 'postgres';
    /** The URL of the shared PostgreSQL server; empty on another engine. */
    postgresUrl: string;
    /** The URL of a database of the coordinator of a Citus cluster, which knows the workers; undefined without one. */
    citusUrl?: string;
  }
}

/** The client of the gateway's driver of PostgreSQL. The tests have a copy of the driver of their own. */
export const { Client: GatewayClient }: Pick<typeof pg, 'Client'> = createRequire(
  new URL('../../src/server.ts', import.meta.url),
)('pg');

/** The SQL and the texts that differ between the two engines. */
type Dialect = {
  /** Selects the `name` of each table of the gateway. */
  readonly tables: string;
  /** Selects the `name` of each column of table `$1`. */
  readonly columns: string;
  /** Select tables, columns, indexes and constraints. The results also differ if one was created again. */
  readonly schema: readonly string[];
};

const SQLITE: Dialect = {
  tables: "SELECT name FROM sqlite_schema WHERE type = 'table'",
  columns: 'SELECT name FROM pragma_table_info($1)',
  schema: ['SELECT * FROM sqlite_schema ORDER BY name', 'PRAGMA schema_version'],
};

const POSTGRES: Dialect = {
  tables: "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
  columns: 'SELECT column_name AS name FROM information_schema.columns WHERE table_name = $1',
  schema: [
    `SELECT relname, relkind, oid::bigint, relfilenode::bigint FROM pg_class
     WHERE relnamespace = 'public'::regnamespace ORDER BY oid`,
    `SELECT table_name, column_name, data_type, is_nullable, column_default FROM information_schema.columns
     WHERE table_schema = 'public' ORDER BY table_name, ordinal_position`,
    "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY indexname",
    `SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint
     WHERE connamespace = 'public'::regnamespace ORDER BY conrelid, conname`,
  ],
};

function engine(): Dialect {
  return inject('engine') === 'postgres' ? POSTGRES : SQLITE;
}

/** Opens a database for a function, and closes it afterwards. @param options for a file of another program */
export async function onDatabase<T>(
  url: string,
  work: (database: Engine) => Promise<T>,
  options: { readonly isReadOnly?: boolean } = {},
): Promise<T> {
  const database = await openDatabase(url, { ...LONG_TIMEOUT, ...options });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Executes a statement on a connection of its own. */
export async function executeOn(url: string, sql: string): Promise<void> {
  await onDatabase(url, (database) => database.write(sql));
}

/** Returns the sorted names of the tables. */
export async function tablesOf(database: Database): Promise<readonly string[]> {
  const rows = await database.read<{ name: string }>(engine().tables);
  return rows.map(({ name }) => name).sort();
}

/** Returns the sorted names of the columns of a table. */
export async function columnsOf(database: Database, table: string): Promise<readonly string[]> {
  const rows = await database.read<{ name: string }>(engine().columns, [table]);
  return rows.map(({ name }) => name).sort();
}

/** Returns the schema. If two results are equal, nothing was created in between. */
export async function schemaOf(database: Database): Promise<readonly (readonly Row[])[]> {
  return Promise.all(engine().schema.map((sql) => database.read(sql)));
}

/**
 * Returns every row of every table as text, one row per line. Bytes are in hexadecimal. The last use of a token is left
 * out: it is written in the background, some time after the request.
 */
export async function textOf(database: Database): Promise<string> {
  const lines: string[] = [];
  for (const table of await tablesOf(database)) {
    const rows: readonly Readonly<Record<string, unknown>>[] = await database.read(`SELECT * FROM ${table}`);
    for (const { last_use_time_ms: _, ...row } of rows) {
      lines.push(
        [table, ...Object.values(row)]
          .map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value)))
          .join('\t'),
      );
    }
  }
  return lines.sort().join('\n');
}

/** Whether no program has used the database since its creation. */
export async function isUntouched(url: string): Promise<boolean> {
  if (inject('engine') === 'sqlite') return !existsSync(pathOf(url));
  return (await onDatabase(url, tablesOf)).length === 0;
}

/** The file of a database on SQLite. */
export function pathOf(url: string): string {
  return url.slice('sqlite:'.length);
}

/** Overwrites the root pages of a table and its indexes in a SQLite file. */
export function damageTable(path: string, table: string): void {
  const database = new DatabaseSync(path);
  const roots = database.prepare('SELECT rootpage FROM sqlite_schema WHERE tbl_name = ?').all(table);
  const pageSize = Number(database.prepare('PRAGMA page_size').get()?.['page_size']);
  database.close();
  const file = openSync(path, 'r+');
  for (const { rootpage } of roots) {
    writeSync(file, Buffer.alloc(pageSize, 0xff), 0, pageSize, (Number(rootpage) - 1) * pageSize);
  }
  closeSync(file);
}
