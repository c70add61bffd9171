import { existsSync } from 'node:fs';
import { readConfig } from '../config.ts';
import { restoreAccount } from '../data/operator/restore-account.ts';
import { parseFields, resourceNameValidator } from '../model/fields/fields.ts';
import { sqlitePath } from '../storage/database-url.ts';
import { openDatabase } from '../storage/open-database.ts';
import type { Engine } from '../storage/port/engine.ts';
import { backUpSqlite } from '../storage/sqlite/backup.ts';
import { openBackup, restoreSqlite } from '../storage/sqlite/restore.ts';
import { type Arguments, type Command, fileIn, nameIn, onFiles, UsageError } from './line/command.ts';
import { byPlural, countedRows } from './line/counts.ts';
import { fileWithSize, meter } from './line/meter.ts';
import { assertCurrentIn, urlIn, withDatabase } from './line/with-database.ts';

export const backup: Command = {
  name: 'backup',
  summary: 'Copies a SQLite database to a new file, while servers use it.',
  operand: 'file',
  async run({ values, terminal, print }) {
    const file = fileIn(values);
    const path = databaseFile('pg_dump');
    if (existsSync(path)) terminal.progress(`Copying ${fileWithSize(path)}…`);
    const bytes = onFiles(`${path} can't be copied to ${file}`, () => backUpSqlite(path, file));
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
    if (values['account'] !== undefined) return restoreOne(args);
    const file = fileIn(values);
    const path = databaseFile('pg_restore');
    if (existsSync(file)) terminal.progress(`Copying and checking ${fileWithSize(file)}…`);
    const version = onFiles(`${path} can't be restored from ${file}`, () => restoreSqlite(file, path));
    print({ file, version }, `Restored ${path} from ${file}.`);
  },
};

/** Gives back one account. The source is a SQLite file, or the URL of a PostgreSQL database. */
function restoreOne(args: Arguments): Promise<void> {
  return withDatabase(args, async (admin) => {
    // Before the source is opened.
    parseFields(args.values, { account: resourceNameValidator('accounts') });
    const backup = await openSource(args);
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

async function openSource({ values, terminal }: Arguments): Promise<Pick<Engine, 'read' | 'close'>> {
  const { file: source = '' } = values;
  if (/^postgres(ql)?:\/\//.test(source)) {
    const { postgres } = readConfig();
    return openDatabase(source, { postgres }).catch(urlIn('<file>'));
  }
  const file = fileIn(values, ' or postgres://…');
  if (existsSync(file)) terminal.progress(`Checking ${fileWithSize(file)}…`);
  return onFiles(`${file} can't be read`, () => openBackup(file));
}

/** @param tool the program for PostgreSQL */
function databaseFile(tool: string): string {
  const path = sqlitePath(readConfig().databaseUrl);
  if (path !== undefined) return path;
  throw new UsageError(`DATABASE_URL must be sqlite:<path>. For PostgreSQL, use ${tool}.`);
}
