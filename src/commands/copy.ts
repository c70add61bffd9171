import { readConfig } from '../config.ts';
import { copyDatabase } from '../storage/copy.ts';
import { assertCurrent, readSchemaVersion } from '../storage/migrations.ts';
import { openDatabase } from '../storage/open-database.ts';
import { type Command, UsageError } from './command.ts';
import { byPlural, countedRows } from './counts.ts';

export const copy: Command = {
  name: 'copy',
  summary: 'Copies a SQLite database, including valid tokens, to an empty PostgreSQL database.',
  options: { to: { value: '<url>', description: 'The empty database, postgres://…', required: true } },
  async run(args) {
    const { databaseUrl, postgres } = readConfig(args.environment);
    const to = args.required('to');
    // For a copy between two PostgreSQL servers there are better tools, such as pg_dump.
    if (!databaseUrl.startsWith('sqlite:')) throw new UsageError('DATABASE_URL must be sqlite:<path>.');
    if (!/^postgres(ql)?:/.test(to)) throw new UsageError('--to must be postgres://….');
    const source = await openDatabase(databaseUrl, { postgres, create: false });
    try {
      assertCurrent(await readSchemaVersion(source), 'The source');
      const target = await openDatabase(to, { postgres });
      try {
        assertCurrent(await readSchemaVersion(target), 'The target');
        const counts = byPlural(await copyDatabase(source, target, Date.now()));
        args.print(counts, `Copied ${countedRows(counts)}.`);
      } finally {
        await target.close();
      }
    } finally {
      await source.close();
    }
  },
};
