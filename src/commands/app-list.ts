import { listApps } from '../data/list-apps.ts';
import { appView } from '../rest/views.ts';
import type { Command } from './command.ts';
import { withDatabase } from './with-database.ts';

export const appList: Command = {
  name: 'app list',
  summary: 'Lists the apps of an account.',
  options: { account: { value: '<name>', description: 'The account, accounts/<ULID>.', required: true } },
  run: (args) =>
    withDatabase(args.environment, async (admin) => {
      const apps = await listApps(admin, { account: args.required('account') });
      const lines = apps.map(
        ({ name, active, title }) => `${name}  ${active ? 'active  ' : 'inactive'}  ${title}`,
      );
      args.print({ apps: apps.map(appView) }, lines.join('\n') || 'The account has no apps.');
    }),
};
