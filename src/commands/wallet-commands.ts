import { updateWallet } from '../data/update-wallet.ts';
import { archiveWallet, unarchiveWallet } from '../data/wallets/archive-wallet.ts';
import { listWallets } from '../data/wallets/list-wallets.ts';
import { type Wallet, walletView } from '../model/wallet.ts';
import { deleteWallet } from '../operator/delete-wallet.ts';
import { registerWallet } from '../operator/register-wallet.ts';
import { changeCommand } from './cli/change-command.ts';
import {
  type Command,
  flag,
  NEW_TEXT_OPTIONS,
  nameOption,
  optionalOption,
  PROJECT_OPTION,
  requiredOption,
  TEXT_OPTIONS,
  YES_OPTION,
} from './cli/command.ts';
import { listCommand } from './cli/list-command.ts';
import { printed, withoutEmptyReference, withReference } from './cli/views.ts';

const viewWithReference = withReference(walletView);

const view = (wallet: Wallet) => ({
  ...viewWithReference(wallet),
  archiveTime: printed(wallet).archiveTime,
});

export const walletCommands: readonly Command[] = [
  changeCommand({
    synopsis: 'wallet create',
    summary: 'Registers a wallet and its address in a project.',
    options: {
      project: PROJECT_OPTION,
      ...TEXT_OPTIONS,
      network: requiredOption('<network>', 'The network, such as NETWORK_ETHEREUM or NETWORK_POLYGON.'),
      address: requiredOption('<address>', '0x and 40 hexadecimal digits; an EIP-55 checksum is verified.'),
    },
    run: registerWallet,
    view,
    text: ({ name }) => `Created ${name}.`,
  }),
  listCommand({
    synopsis: 'wallet list',
    summary: 'Lists the wallets of a project.',
    plural: 'wallets',
    filters: { project: PROJECT_OPTION, archived: flag('The archived wallets instead of the others.') },
    read: (operator, input, { isSet }) => listWallets(operator, { ...input, archived: isSet('archived') }),
    view,
    columns: ({ name, title, network, address, reference, description }, isWide) => ({
      name,
      title,
      network,
      address: isWide ? address : address.replace(/^(.{6}).*(.{4})$/, '$1…$2'),
      ...(isWide && { reference, description }),
    }),
  }),
  changeCommand({
    synopsis: 'wallet update <name>',
    summary: 'Updates a wallet. Omitted fields are not changed.',
    options: {
      ...NEW_TEXT_OPTIONS,
      project: nameOption('projects', 'The new project, in the same account.'),
      network: optionalOption('<network>', 'The new network.'),
    },
    run: (operator, input) => updateWallet(operator, withoutEmptyReference(input)),
    view,
    text: ({ name }) => `Updated ${name}.`,
  }),
  changeCommand({
    synopsis: 'wallet archive <name>',
    summary: 'Archives a wallet: it is no longer in the lists, but keeps its address.',
    run: archiveWallet,
    view,
    text: ({ name }) => `Archived ${name}.`,
  }),
  changeCommand({
    synopsis: 'wallet unarchive <name>',
    summary: 'Unarchives a wallet.',
    run: unarchiveWallet,
    view,
    text: ({ name }) => `Brought ${name} back.`,
  }),
  changeCommand({
    synopsis: 'wallet delete <name>',
    summary: 'Deletes a wallet.',
    options: { yes: YES_OPTION },
    run: deleteWallet,
    view,
    text: ({ name }) => `Deleted ${name}.`,
  }),
];
