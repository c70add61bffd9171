import { listAnyProjectWallets } from '../data/list-wallets.ts';
import { walletView } from '../model/wallet.ts';
import { listCommand } from './list-command.ts';

export const walletList = listCommand({
  name: 'wallet list',
  summary: 'Lists the wallets of a project.',
  plural: 'wallets',
  filters: { project: { value: '<name>', description: 'The project, projects/<ULID>.', required: true } },
  read: listAnyProjectWallets,
  view: walletView,
  columns: ({ name, network, address, title }) => [name, network, address, title],
});
