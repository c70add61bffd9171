import { createAccount } from '../data/create-account.ts';
import type { Command } from './command.ts';
import { withDatabase } from './with-database.ts';

export const accountCreate: Command = {
  name: 'account create',
  summary: 'Creates an account and its first project.',
  options: { title: { value: '<text>', description: 'The title, 1 to 200 characters.', required: true } },
  run: (args) =>
    withDatabase(args.environment, async (admin) => {
      const account = await createAccount(admin, { title: args.required('title') });
      const { name, title, defaultProject } = account;
      args.print({ name, title, defaultProject }, `Created ${name} with ${defaultProject}.`);
    }),
};
