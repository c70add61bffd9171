import { deleteAccount } from '../data/delete-account.ts';
import { type Command, YES } from './command.ts';
import { countedRows } from './counts.ts';
import { withDatabase } from './with-database.ts';

export const accountDelete: Command = {
  name: 'account delete',
  summary:
    'Deletes an account with all its projects, apps, wallets, tokens and audit events. An interrupted deletion can be repeated.',
  operand: 'name',
  options: { yes: YES, 'keep-audit': { description: 'Keeps the audit events.' } },
  run: (args) =>
    withDatabase(args.environment, async (admin) => {
      const rows = await deleteAccount(admin, { name: args.operand }, args.isSet('keep-audit'));
      const { project: projects, app: apps, wallet: wallets, token: tokens, audit_event: events } = rows;
      const counts = { projects, apps, wallets, tokens, events };
      args.print(counts, `Deleted the account with ${countedRows(counts)}.`);
    }),
};
