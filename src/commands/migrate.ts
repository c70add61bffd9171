import { readConfig } from '../config.ts';
import { migrate as migrateDatabase } from '../storage/migrate.ts';
import { openDatabase } from '../storage/open-database.ts';
import type { Command } from './command.ts';

export const migrate: Command = {
  name: 'migrate',
  summary: 'Creates or migrates the tables of the database.',
  options: {},
  async run(args) {
    const { databaseUrl, postgres } = readConfig(args.environment);
    const database = await openDatabase(databaseUrl, { postgres, create: true });
    try {
      const { version, applied } = await migrateDatabase(database, Date.now());
      const lines = applied.map((name) => `Applied ${name}.`);
      args.print({ version, applied }, [...lines, `The schema version is ${version}.`].join('\n'));
    } finally {
      await database.close();
    }
  },
};
