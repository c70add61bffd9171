import { existsSync } from 'node:fs';
import { readConfig } from '../config.ts';
import { sqlitePath } from '../storage/database-url.ts';
import { copyDatabase } from '../storage/jobs/copy.ts';
import { assertCurrent, readSchemaVersion } from '../storage/migrations/versions.ts';
import { hasLog } from '../storage/sqlite/open-read-only.ts';
import { findFileProblems } from '../storage/sqlite/verify-file.ts';
import { NO_PROBLEMS } from '../storage/work/problems.ts';
import { type Command, requiredOption, UsageError } from './cli/command.ts';
import { byPlural, countedRows } from './cli/counts.ts';
import { meter } from './cli/meter.ts';
import { assertCurrentIn, urlIn, whileOpen } from './cli/with-database.ts';

export const copy: Command = {
  synopsis: 'copy',
  summary: 'Copies a SQLite database, including tokens, to an empty PostgreSQL database.',
  options: { to: requiredOption('<url>', 'The empty database, postgres://…') },
  async run(args) {
    const { databaseUrl, postgres } = readConfig();
    const to = args.values['to'] ?? '';
    // For a copy between two PostgreSQL servers there are better tools, such as pg_dump.
    const path = sqlitePath(databaseUrl);
    if (path === undefined) throw new UsageError('DATABASE_URL must be sqlite:<path>.');
    if (!/^postgres(ql)?:\/\//.test(to)) throw new UsageError('--to must be postgres://….');
    const problems = existsSync(path) ? findFileProblems(path, 'The source') : NO_PROBLEMS;
    if (problems.count > 0) throw new Error(`The source can't be copied. ${problems.lines[0]}`);
    // A file that no process uses can be a backup: it gets no log, and may be on read-only storage.
    const isReadOnly = existsSync(path) && !hasLog(path);
    const copied = whileOpen(to, { postgres }, (target) =>
      whileOpen(databaseUrl, { postgres, create: false, isReadOnly }, async (source) => {
        assertCurrent(await readSchemaVersion(source, 'The source'), 'The source');
        await assertCurrentIn('--to', target, 'The target');
        return byPlural(await copyDatabase(source, target, meter(args.terminal, 'Copied')));
      }),
    );
    const counts = await copied.catch(urlIn('--to'));
    args.print(counts, `Copied ${countedRows(counts)}.`);
  },
};
