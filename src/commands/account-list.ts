import { listAccounts } from '../data/list-accounts.ts';
import { listCommand } from './list-command.ts';
import { accountView } from './views.ts';

export const accountList = listCommand({
  name: 'account list',
  summary: 'Lists the accounts.',
  plural: 'accounts',
  read: listAccounts,
  view: accountView,
  columns: ({ name, state, title }) => [name, state, title],
});
