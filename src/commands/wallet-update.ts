import { updateWallet } from '../data/update-wallet.ts';
import { walletView } from '../model/wallet.ts';
import type { Command } from './command.ts';
import { withDatabase } from './with-database.ts';

export const walletUpdate: Command = {
  name: 'wallet update',
  summary: 'Updates a wallet. Omitted fields are not changed.',
  operand: 'name',
  options: {
    title: { value: '<text>', description: 'The new title, 1 to 200 characters.' },
    description: { value: '<text>', description: 'The new description, up to 2,000 characters.' },
    project: { value: '<name>', description: 'The new project, in the same account.' },
    network: { value: '<network>', description: 'The new network.' },
  },
  run: (args) =>
    withDatabase(args.environment, async (admin) => {
      const wallet = await updateWallet(admin, 'operator', {
        name: args.operand,
        title: args.optional('title'),
        description: args.optional('description'),
        project: args.optional('project'),
        network: args.optional('network'),
      });
      args.print(walletView(wallet), `Updated ${wallet.name}.`);
    }),
};
