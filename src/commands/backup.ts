import { readConfig } from '../config.ts';
import { sqlitePath } from '../storage/database-url.ts';
import { backUpSqlite } from '../storage/sqlite/backup.ts';
import { restoreSqlite } from '../storage/sqlite/restore.ts';
import { type Command, UsageError } from './command.ts';

export const backup: Command = {
  name: 'backup',
  summary: 'Copies a SQLite database to a new file, while servers use it.',
  operand: 'file',
  options: {},
  async run(args) {
    const path = databaseFile('pg_dump');
    const bytes = backUpSqlite(path, args.operand);
    args.print({ file: args.operand, bytes }, `Copied ${path} to ${args.operand}.`);
  },
};

export const restore: Command = {
  name: 'restore',
  summary: 'Checks a backup and replaces the SQLite database by it. No server may use the database.',
  operand: 'file',
  options: {},
  async run(args) {
    const path = databaseFile('pg_restore');
    const version = restoreSqlite(args.operand, path);
    args.print({ file: args.operand, version }, `Restored ${path} from ${args.operand}.`);
  },
};

/** @param tool the program for PostgreSQL */
function databaseFile(tool: string): string {
  const path = sqlitePath(readConfig().databaseUrl);
  if (path !== undefined) return path;
  throw new UsageError(`DATABASE_URL must be sqlite:<path>. For PostgreSQL, use ${tool}.`);
}
