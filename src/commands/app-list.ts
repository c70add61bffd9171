import { listAccountApps } from '../data/list-apps.ts';
import { appView } from '../model/app.ts';
import { listCommand } from './list-command.ts';

export const appList = listCommand({
  name: 'app list',
  summary: 'Lists the apps of an account.',
  plural: 'apps',
  filters: { account: { value: '<name>', description: 'The account, accounts/<ULID>.', required: true } },
  read: listAccountApps,
  view: appView,
  columns: ({ name, active, title }) => [name, active ? 'active' : 'inactive', title],
});
