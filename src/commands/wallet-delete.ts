import { deleteWallet } from '../data/delete-wallet.ts';
import { walletView } from '../model/wallet.ts';
import { type Command, YES } from './command.ts';
import { withDatabase } from './with-database.ts';

export const walletDelete: Command = {
  name: 'wallet delete',
  summary: 'Deletes a wallet.',
  operand: 'name',
  options: { yes: YES },
  run: (args) =>
    withDatabase(args.environment, async (admin) => {
      const wallet = await deleteWallet(admin, { name: args.operand });
      args.print(walletView(wallet), `Deleted ${wallet.name}.`);
    }),
};
