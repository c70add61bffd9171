import { createWallet } from '../data/create-wallet.ts';
import { walletView } from '../model/wallet.ts';
import type { Command } from './command.ts';
import { withDatabase } from './with-database.ts';

export const walletCreate: Command = {
  name: 'wallet create',
  summary: 'Registers a wallet and its address in a project.',
  options: {
    project: { value: '<name>', description: 'The project, projects/<ULID>.', required: true },
    title: { value: '<text>', description: 'The title, 1 to 200 characters.', required: true },
    network: {
      value: '<network>',
      description: 'The network, such as NETWORK_ETHEREUM or NETWORK_POLYGON.',
      required: true,
    },
    address: {
      value: '<address>',
      description: '0x and 40 hexadecimal digits; an EIP-55 checksum is verified.',
      required: true,
    },
    description: { value: '<text>', description: 'A short description, up to 2,000 characters.' },
  },
  run: (args) =>
    withDatabase(args.environment, async (admin) => {
      const wallet = await createWallet(admin, {
        project: args.required('project'),
        title: args.required('title'),
        network: args.required('network'),
        address: args.required('address'),
        description: args.optional('description'),
      });
      args.print(walletView(wallet), `Created ${wallet.name}.`);
    }),
};
