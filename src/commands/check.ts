import { existsSync } from 'node:fs';
import { readConfig } from '../config.ts';
import { checkDatabase } from '../data/check-database.ts';
import { sqlitePath } from '../storage/database-url.ts';
import { assertCurrent, readSchemaVersion } from '../storage/migrations.ts';
import { findFileProblems } from '../storage/sqlite/check.ts';
import type { Arguments, Command } from './command.ts';
import { byPlural, counted, countedRows } from './counts.ts';
import { whileOpen } from './with-database.ts';

export const check: Command = {
  name: 'check',
  summary: 'Checks the database, and prints what is wrong.',
  async run(args) {
    const { databaseUrl, postgres } = readConfig();
    const path = sqlitePath(databaseUrl);
    // A damaged file can't be read any further.
    const fileProblems = path !== undefined && existsSync(path) ? findFileProblems(path) : [];
    if (fileProblems.length > 0) report(args, fileProblems);
    // A database that does not exist is a problem, so it is not created.
    await whileOpen(databaseUrl, { postgres, create: false }, async (database) => {
      assertCurrent(await readSchemaVersion(database));
      const { counts, problems } = await checkDatabase({ database });
      report(args, problems, byPlural(counts));
    });
  },
};

/** Prints the problems. @throws Error if there are any */
function report(
  { print }: Arguments,
  problems: readonly string[],
  counts: Record<string, number> = {},
): void {
  const text = problems.join('\n') || `No problem found in ${countedRows(counts)}.`;
  print({ ...counts, problems }, text);
  if (problems.length > 0) throw new Error(`The database has ${counted(problems.length, 'problem')}.`);
}
