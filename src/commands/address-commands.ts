import { listAddresses } from '../data/operator/list-addresses.ts';
import { supplyAddresses } from '../data/operator/supply-addresses.ts';
import { changeCommand } from './line/change-command.ts';
import { ACCOUNT, type Command, required, YES } from './line/command.ts';
import { counted } from './line/counts.ts';
import { listCommand } from './line/list-command.ts';
import { linesOf, streamOf } from './line/standard-input.ts';

const POOL = {
  account: ACCOUNT,
  network: required('<network>', 'The network, such as NETWORK_ETHEREUM or NETWORK_POLYGON.'),
};

/** Returns the command that adds or deletes the addresses of a file. @param done what it has done, such as `Added` */
function supplyCommand(change: 'add' | 'delete', summary: string, done: string): Command {
  return changeCommand({
    name: `address ${change}`,
    summary: `${summary}, one a line of a file or of standard input.`,
    operand: 'file',
    hasOptionalOperand: true,
    options: change === 'add' ? POOL : { ...POOL, yes: YES },
    run: async (admin, input) =>
      supplyAddresses(admin, change, input, linesOf(await streamOf(input['file']))),
    view: (supplied) => supplied,
    text: ({ count }) => `${done} ${counted(count, 'addresses')}.`,
  });
}

export const addressCommands: readonly Command[] = [
  supplyCommand('add', 'Adds addresses for new wallets', 'Added'),
  listCommand({
    name: 'address list',
    summary: 'Lists the addresses that are left for new wallets, the next one first.',
    plural: 'addresses',
    filters: POOL,
    read: listAddresses,
    view: ({ address, network }) => ({ address, network }),
    columns: (address) => address,
  }),
  supplyCommand('delete', 'Deletes addresses that are left', 'Deleted'),
];
