import { deleteAllAddresses } from '../operator/delete-addresses.ts';
import { listAddresses } from '../operator/list-addresses.ts';
import { addAddresses, deleteListedAddresses } from '../operator/supply-addresses.ts';
import { changeCommand } from './cli/change-command.ts';
import {
  ACCOUNT_OPTION,
  type Command,
  flag,
  nameOption,
  optionalOption,
  requiredOption,
  UsageError,
  YES_OPTION,
} from './cli/command.ts';
import { counted } from './cli/counts.ts';
import { listCommand } from './cli/list-command.ts';
import { onLines } from './cli/standard-input.ts';

const POOL = {
  account: ACCOUNT_OPTION,
  network: requiredOption('<network>', 'The network, such as NETWORK_ETHEREUM or NETWORK_POLYGON.'),
};

export const addressCommands: readonly Command[] = [
  changeCommand({
    synopsis: 'address add [file]',
    summary: 'Adds addresses for new wallets, one per line, from a file or standard input.',
    options: POOL,
    run: (operator, input) => onLines(input['file'], (lines) => addAddresses(operator, input, lines)),
    text: ({ count }) => `Added ${counted(count, 'addresses')}.`,
  }),
  listCommand({
    synopsis: 'address list',
    summary: 'Lists the unused addresses, in the order in which new wallets get them.',
    plural: 'addresses',
    filters: POOL,
    read: listAddresses,
    view: ({ address, network }) => ({ address, network }),
    columns: (address) => address,
  }),
  changeCommand({
    synopsis: 'address delete [file]',
    summary: 'Deletes unused addresses, one per line, from a file or standard input, or all of them.',
    options: {
      account: nameOption('accounts', 'The account, accounts/<ULID>. Optional with --all.'),
      network: optionalOption('<network>', 'The network; not with --all.'),
      all: flag('Deletes all unused addresses of the account or of the whole database.'),
      yes: YES_OPTION,
    },
    async run(operator, input, { isSet }) {
      if (!isSet('all')) {
        return onLines(input['file'], (lines) => deleteListedAddresses(operator, input, lines));
      }
      if (input['network'] !== undefined || input['file'] !== undefined) {
        throw new UsageError('--all takes neither --network nor a file.');
      }
      return { ...input, count: await deleteAllAddresses(operator, input) };
    },
    text: ({ count }) => `Deleted ${counted(count, 'addresses')}.`,
  }),
];
