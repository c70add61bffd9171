import { setAccountSuspended } from '../data/set-account-suspended.ts';
import type { Arguments, Command } from './command.ts';
import { accountView } from './views.ts';
import { withDatabase } from './with-database.ts';

export const accountSuspend: Command = {
  name: 'account suspend',
  summary: 'Suspends an account: all its tokens are refused until it is resumed.',
  operand: 'name',
  options: {},
  run: (args) => run(args, true),
};

export const accountResume: Command = {
  name: 'account resume',
  summary: 'Resumes a suspended account.',
  operand: 'name',
  options: {},
  run: (args) => run(args, false),
};

function run(args: Arguments, suspended: boolean): Promise<void> {
  return withDatabase(args.environment, async (admin) => {
    const account = await setAccountSuspended(admin, { name: args.operand }, suspended);
    args.print(accountView(account), `${account.name} is now ${suspended ? 'suspended' : 'active'}.`);
  });
}
