import { appFromRow } from '../data/from-row.ts';
import type { App } from '../model/app.ts';
import { parseFields, resourceNameValidator } from '../model/fields.ts';
import type { Ulid } from '../model/resource-name.ts';
import { appView } from '../rest/views.ts';
import { listApps } from '../storage/apps.ts';
import type { Command } from './command.ts';
import { requireAccount } from './require-account.ts';
import { withDatabase } from './with-database.ts';

const VALIDATORS = { account: resourceNameValidator('accounts') };

const BATCH = 1000;

export const appList: Command = {
  name: 'app list',
  summary: 'Lists the apps of an account.',
  options: { account: { value: '<name>', text: 'The account, accounts/<ULID>.', required: true } },
  run: (args) =>
    withDatabase(args.environment, async ({ database }) => {
      const { account } = parseFields({ account: args.required('account') }, VALIDATORS);
      const { id: accountId } = await requireAccount(database, account);
      const apps: App[] = [];
      for (let after: Ulid | '' = '', more = true; more; ) {
        const rows = await listApps(database, accountId, after, BATCH);
        apps.push(...rows.map((row) => appFromRow(row)));
        after = rows.at(-1)?.id ?? after;
        more = rows.length === BATCH;
      }
      const lines = apps.map(
        ({ name, active, title }) => `${name}  ${active ? 'active  ' : 'inactive'}  ${title}`,
      );
      args.print({ apps: apps.map(appView) }, lines.join('\n') || 'The account has no apps.');
    }),
};
