import { readConfig } from '../config.ts';
import { sqlitePath } from '../storage/database-url.ts';
import { backUpSqlite } from '../storage/sqlite/backup.ts';
import { type Command, UsageError } from './command.ts';

export const backup: Command = {
  name: 'backup',
  summary: 'Copies a SQLite database to a new file, while servers use it.',
  operand: 'file',
  options: {},
  async run(args) {
    const path = sqlitePath(readConfig(args.environment).databaseUrl);
    if (path === undefined)
      throw new UsageError('DATABASE_URL must be sqlite:<path>. For PostgreSQL, use pg_dump.');
    const bytes = backUpSqlite(path, args.operand);
    args.print({ file: args.operand, bytes }, `Copied ${path} to ${args.operand}.`);
  },
};
