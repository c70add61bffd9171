import { deleteAccount } from '../data/delete-account.ts';
import { type Command, YES } from './command.ts';
import { countedRows } from './counts.ts';
import { withDatabase } from './with-database.ts';

export const accountDelete: Command = {
  name: 'account delete',
  summary:
    'Deletes an account with all its projects, apps, wallets and tokens. An interrupted deletion can be repeated.',
  operand: 'name',
  options: { yes: YES },
  run: (args) =>
    withDatabase(args.environment, async (admin) => {
      const rows = await deleteAccount(admin, { name: args.operand });
      const { project: projects, app: apps, wallet: wallets, token: tokens } = rows;
      const counts = { projects, apps, wallets, tokens };
      args.print(counts, `Deleted the account with ${countedRows(counts)}.`);
    }),
};
