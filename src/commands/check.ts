import { existsSync } from 'node:fs';
import { readConfig } from '../config.ts';
import { checkDatabase } from '../operator/check-database.ts';
import { sqlitePath } from '../storage/database-url.ts';
import { assertCurrent, readSchemaVersion } from '../storage/migrations/versions.ts';
import { findFileProblems } from '../storage/sqlite/verify-file.ts';
import type { Problems } from '../storage/work/problems.ts';
import { type Arguments, type Command, onFiles } from './cli/command.ts';
import { byPlural, counted, countedRows } from './cli/counts.ts';
import { meter } from './cli/meter.ts';
import { whileOpen } from './cli/with-database.ts';

export const check: Command = {
  synopsis: 'check',
  summary: 'Checks the database, and prints the problems.',
  async run(args) {
    const { databaseUrl, postgres } = readConfig();
    const path = sqlitePath(databaseUrl);
    // A damaged file can't be read any further.
    if (path !== undefined && existsSync(path)) {
      report(args, await onFiles(`${path} can't be checked`, () => findFileProblems(path)));
    }
    await whileOpen(databaseUrl, { postgres, isReadOnly: true }, async (database) => {
      assertCurrent(await readSchemaVersion(database));
      const { counts, ...problems } = await checkDatabase({ database }, meter(args.terminal, 'Checked'));
      report(args, problems);
      const rows = byPlural(counts);
      args.print({ ...rows, problems: [], problemCount: 0 }, `No problem found in ${countedRows(rows)}.`);
    });
  },
};

/** Prints the problems. @throws Error if there are any */
function report({ print }: Arguments, { lines, count }: Problems): void {
  if (count === 0) return;
  print({ problems: lines, problemCount: count }, lines.join('\n'));
  throw new Error(`The database has ${counted(count, 'problems')}.`);
}
