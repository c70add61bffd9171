import { readConfig } from '../config.ts';
import { parseFields, resourceNameValidator } from '../model/fields/fields.ts';
import { type LeftAddresses, leftAddresses, restoreAccount } from '../operator/restore-account.ts';
import { sqlitePath } from '../storage/database-url.ts';
import type { Engine } from '../storage/interface/engine.ts';
import { assertValid } from '../storage/jobs/row-values.ts';
import { findSchemaProblems } from '../storage/jobs/verify-schema.ts';
import { openDatabase } from '../storage/open-database.ts';
import { backUpSqlite } from '../storage/sqlite/backup.ts';
import { openBackup, restoreSqlite } from '../storage/sqlite/restore.ts';
import {
  type Arguments,
  type Command,
  fileIn,
  flag,
  nameOption,
  onFiles,
  readableFileIn,
  UsageError,
} from './cli/command.ts';
import { byPlural, counted, countedRows } from './cli/counts.ts';
import { meter } from './cli/meter.ts';
import { assertCurrentIn, urlIn, withDatabase } from './cli/with-database.ts';

export const backup: Command = {
  synopsis: 'backup <file>',
  summary: 'Copies a SQLite database to a new file. Servers can keep running.',
  async run({ values, print }) {
    const file = fileIn(values);
    const path = databaseFile('pg_dump');
    const bytes = await onFiles(`${path} can't be copied to ${file}`, () => backUpSqlite(path, file));
    print({ file, bytes }, `Copied ${path} to ${file}.`);
  },
};

export const restore: Command = {
  synopsis: 'restore <file>',
  summary:
    'Checks a backup, and replaces the SQLite database with it. Stop the servers first, except with --account.',
  options: {
    account: nameOption(
      'accounts',
      'Restores only this account, accounts/<ULID>, which must not exist. <file> can then be postgres://….',
    ),
    'with-addresses': flag(
      'Restores the unused addresses too. Use it only if no wallet has got one of them since the backup.',
    ),
  },
  async run(args) {
    const { values, print } = args;
    if (values['account'] !== undefined) return restoreOne(args);
    const path = databaseFile('pg_restore');
    const file = readableFileIn(values);
    const withAddresses = args.isSet('with-addresses');
    let leftOut: readonly LeftAddresses[] = [];
    const validate = async (backup: Engine) => {
      await assertValid(backup, `The file ${file}`);
      if (!withAddresses) leftOut = await leftAddresses(backup);
    };
    const version = await onFiles(`${path} can't be restored from ${file}`, () =>
      restoreSqlite(file, path, { validate, withAddresses }),
    );
    const text = `Restored ${path} from ${file}.`;
    print({ file, version, leftOut }, [text, ...linesOf(leftOut)].join('\n'));
  },
};

/** Gives back one account. The source is a SQLite file, or the URL of a PostgreSQL database. */
function restoreOne(args: Arguments): Promise<void> {
  return withDatabase(args, async (operator) => {
    // Before the source is opened.
    parseFields(args.values, { account: resourceNameValidator('accounts') });
    const backup = await openSource(args);
    try {
      const onProgress = meter(args.terminal, 'Restored');
      const options = { withAddresses: args.isSet('with-addresses'), onProgress };
      const { restored, leftOut } = await restoreAccount(operator, backup, args.values, options);
      const { accounts: _, ...counts } = byPlural(restored);
      const text = `Restored the account with ${countedRows(counts)}.`;
      args.print({ ...counts, leftOut }, [text, ...linesOf(leftOut)].join('\n'));
    } finally {
      await backup.close();
    }
  });
}

/** Opens the source after a check of its tables. @throws Error if it has others than the gateway makes */
async function openSource({ values }: Arguments): Promise<Pick<Engine, 'read' | 'close'>> {
  const { file: source = '' } = values;
  if (!/^postgres(ql)?:\/\//.test(source)) {
    const file = readableFileIn(values, ' or postgres://…');
    const backup = await onFiles(`${file} can't be read`, () => openBackup(file));
    await assertCurrentIn('<file>', backup, 'The backup');
    return backup;
  }
  const { postgres } = readConfig();
  const database = await openDatabase(source, { postgres }).catch(urlIn('<file>'));
  try {
    await assertCurrentIn('<file>', database, 'The backup');
    const [problem] = (await findSchemaProblems(database)).lines;
    if (problem !== undefined) throw new Error(`The backup can't be used. ${problem}`);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

function linesOf(leftOut: readonly LeftAddresses[]): readonly string[] {
  return leftOut.map(
    ({ account, network, count }) =>
      `Left out ${counted(count, 'addresses')} of ${account} on ${network}, which wallets may have got since.`,
  );
}

/** @param tool the program for PostgreSQL */
function databaseFile(tool: string): string {
  const path = sqlitePath(readConfig().databaseUrl);
  if (path !== undefined) return path;
  throw new UsageError(`DATABASE_URL must be sqlite:<path>. For PostgreSQL, use ${tool}.`);
}
