import { existsSync } from 'node:fs';
import { readConfig } from '../config.ts';
import { sqlitePath } from '../storage/database-url.ts';
import { backUpSqlite } from '../storage/sqlite/backup.ts';
import { restoreSqlite } from '../storage/sqlite/restore.ts';
import { type Command, UsageError } from './line/command.ts';
import { fileWithSize } from './line/meter.ts';

export const backup: Command = {
  name: 'backup',
  summary: 'Copies a SQLite database to a new file, while servers use it.',
  operand: 'file',
  async run({ values: { file = '' }, terminal, print }) {
    const path = databaseFile('pg_dump');
    if (existsSync(path)) terminal.progress(`Copying ${fileWithSize(path)}…`);
    const bytes = backUpSqlite(path, file);
    print({ file, bytes }, `Copied ${path} to ${file}.`);
  },
};

export const restore: Command = {
  name: 'restore',
  summary: 'Checks a backup and replaces the SQLite database by it. No server may use the database.',
  operand: 'file',
  async run({ values: { file = '' }, terminal, print }) {
    const path = databaseFile('pg_restore');
    if (existsSync(file)) terminal.progress(`Copying and checking ${fileWithSize(file)}…`);
    const version = restoreSqlite(file, path);
    print({ file, version }, `Restored ${path} from ${file}.`);
  },
};

/** @param tool the program for PostgreSQL */
function databaseFile(tool: string): string {
  const path = sqlitePath(readConfig().databaseUrl);
  if (path !== undefined) return path;
  throw new UsageError(`DATABASE_URL must be sqlite:<path>. For PostgreSQL, use ${tool}.`);
}
