import { readConfig } from '../config.ts';
import { sqlitePath } from '../storage/database-url.ts';
import { restoreSqlite } from '../storage/sqlite/restore.ts';
import { type Command, UsageError } from './command.ts';

export const restore: Command = {
  name: 'restore',
  summary: 'Checks a backup and replaces the SQLite database by it. No server may use the database.',
  operand: 'file',
  options: {},
  async run(args) {
    const path = sqlitePath(readConfig(args.environment).databaseUrl);
    if (path === undefined) {
      throw new UsageError('DATABASE_URL must be sqlite:<path>. For PostgreSQL, use pg_restore.');
    }
    const version = restoreSqlite(args.operand, path);
    args.print({ file: args.operand, version }, `Restored ${path} from ${args.operand}.`);
  },
};
