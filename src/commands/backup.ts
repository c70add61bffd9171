import { existsSync } from 'node:fs';
import { readConfig } from '../config.ts';
import { restoreAccount } from '../data/operator/restore-account.ts';
import { sqlitePath } from '../storage/database-url.ts';
import { openDatabase } from '../storage/open-database.ts';
import type { Engine } from '../storage/port/engine.ts';
import { backUpSqlite } from '../storage/sqlite/backup.ts';
import { openBackup, restoreSqlite } from '../storage/sqlite/restore.ts';
import { type Arguments, type Command, nameIn, UsageError } from './line/command.ts';
import { byPlural, countedRows } from './line/counts.ts';
import { fileWithSize, meter } from './line/meter.ts';
import { assertCurrentIn, urlIn, withDatabase } from './line/with-database.ts';

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
  summary:
    'Checks a backup and replaces the SQLite database by it. No server may use the database, except with --account.',
  operand: 'file',
  options: {
    account: nameIn(
      'accounts',
      'Gives back this account alone, accounts/<ULID>, which must not exist. <file> can then be postgres://….',
    ),
  },
  async run(args) {
    const { values, terminal, print } = args;
    const { file = '' } = values;
    if (values['account'] !== undefined) return restoreOne(args, file);
    const path = databaseFile('pg_restore');
    if (existsSync(file)) terminal.progress(`Copying and checking ${fileWithSize(file)}…`);
    const version = restoreSqlite(file, path);
    print({ file, version }, `Restored ${path} from ${file}.`);
  },
};

/** Gives back one account. @param source a SQLite file, or the URL of a PostgreSQL database */
function restoreOne(args: Arguments, source: string): Promise<void> {
  return withDatabase(args, async (admin) => {
    const backup = await openSource(args, source);
    try {
      await assertCurrentIn('<file>', backup, 'The backup');
      const onProgress = meter(args.terminal, 'Restored');
      const { accounts: _, ...counts } = byPlural(
        await restoreAccount(admin, backup, args.values, onProgress),
      );
      args.print(counts, `Restored the account with ${countedRows(counts)}.`);
    } finally {
      await backup.close();
    }
  });
}

async function openSource({ terminal }: Arguments, source: string): Promise<Pick<Engine, 'read' | 'close'>> {
  if (/^postgres(ql)?:/.test(source)) {
    const { postgres } = readConfig();
    return openDatabase(source, { postgres }).catch(urlIn('<file>'));
  }
  if (existsSync(source)) terminal.progress(`Checking ${fileWithSize(source)}…`);
  return openBackup(source);
}

/** @param tool the program for PostgreSQL */
function databaseFile(tool: string): string {
  const path = sqlitePath(readConfig().databaseUrl);
  if (path !== undefined) return path;
  throw new UsageError(`DATABASE_URL must be sqlite:<path>. For PostgreSQL, use ${tool}.`);
}
