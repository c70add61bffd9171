import { PAW_COMMAND } from '../config.ts';
import type { Account } from '../model/account.ts';
import { createAccount } from '../operator/create-account.ts';
import { deleteAccount } from '../operator/delete-account.ts';
import { exportAccount } from '../operator/export-account.ts';
import { listAccounts } from '../operator/list-accounts.ts';
import { setAccountSuspended } from '../operator/set-account-suspended.ts';
import { changeCommand } from './cli/change-command.ts';
import { type Command, flag, TEXT_OPTIONS, YES_OPTION } from './cli/command.ts';
import { byPlural, countedRows } from './cli/counts.ts';
import { listCommand } from './cli/list-command.ts';
import { meter } from './cli/meter.ts';
import { toJson } from './cli/safe-output.ts';
import { exportView, printed } from './cli/views.ts';
import { withDatabase } from './cli/with-database.ts';

const exportCommand: Command = {
  synopsis: 'account export <name>',
  summary: 'Prints all data of an account as JSON lines, without secrets.',
  run: (args) =>
    withDatabase(
      args,
      async (operator) => {
        // On a terminal, the lines show how far it is.
        const onProgress = args.terminal.isOutputShown() ? undefined : meter(args.terminal, 'Exported');
        for await (const record of exportAccount(operator, args.values, onProgress)) {
          args.terminal.write(`${toJson(exportView(record))}\n`);
        }
        args.terminal.progress('');
      },
      { isReadOnly: true },
    ),
};

export const accountCommands: readonly Command[] = [
  changeCommand({
    synopsis: 'account create',
    summary: 'Creates an account and its first project.',
    options: { title: TEXT_OPTIONS.title },
    run: createAccount,
    view: ({ name, title, defaultProject }) => ({ name, title, defaultProject }),
    text: ({ name, defaultProject }) => `Created ${name} with ${defaultProject}.`,
  }),
  listCommand({
    synopsis: 'account list',
    summary: 'Lists the accounts.',
    plural: 'accounts',
    empty: `No accounts. Create one with ${PAW_COMMAND} init --title <text>.`,
    read: listAccounts,
    view: printed<Account>,
    columns: ({ name, title, state, defaultProject, createTime }, isWide) => ({
      name,
      title,
      state,
      ...(isWide && { 'default project': defaultProject, created: createTime }),
    }),
  }),
  changeCommand({
    synopsis: 'account suspend <name>',
    summary: 'Suspends an account: all its tokens are rejected until it is resumed.',
    run: (operator, input) => setAccountSuspended(operator, input, true),
    view: printed<Account>,
    text: ({ name }) => `${name} is now suspended.`,
  }),
  changeCommand({
    synopsis: 'account resume <name>',
    summary: 'Resumes a suspended account.',
    run: (operator, input) => setAccountSuspended(operator, input, false),
    view: printed<Account>,
    text: ({ name }) => `${name} is now active.`,
  }),
  exportCommand,
  changeCommand({
    synopsis: 'account delete <name>',
    summary:
      'Deletes an account and everything in it: projects, apps, wallets, addresses, tokens and audit events. Run it again after an interruption.',
    options: { yes: YES_OPTION, 'keep-audit': flag('Keeps the audit events.') },
    async run(operator, input, args) {
      const { accounts: _, ...others } = byPlural(
        await deleteAccount(operator, input, args.isSet('keep-audit'), meter(args.terminal, 'Deleted')),
      );
      return others;
    },
    text: (counts) => `Deleted the account with ${countedRows(counts)}.`,
  }),
];
