import { exportAccount } from '../data/export-account.ts';
import type { Command } from './command.ts';
import { exportView } from './views.ts';
import { withDatabase } from './with-database.ts';

export const accountExport: Command = {
  name: 'account export',
  summary: 'Prints everything of an account as lines of JSON, without secrets.',
  operand: 'name',
  options: {},
  run: (args) =>
    withDatabase(args.environment, async (admin) => {
      for await (const record of exportAccount(admin, { name: args.operand })) {
        args.printJsonLine(exportView(record));
      }
    }),
};
