import { appFromRow } from '../data/from-row.ts';
import { invalidFields } from '../model/api-error.ts';
import { parseFields, resourceNameValidator } from '../model/fields.ts';
import { idOf } from '../model/resource-name.ts';
import { appView } from '../rest/views.ts';
import { setAppActive } from '../storage/apps.ts';
import { openTokens } from '../storage/tokens.ts';
import type { Arguments, Command } from './command.ts';
import { withDatabase } from './with-database.ts';

const VALIDATORS = { name: resourceNameValidator('apps') };

export const appActivate: Command = {
  name: 'app activate',
  summary: 'Makes an app active, so that it may sign in.',
  operand: 'name',
  options: {},
  run: (args) => switchApp(args, true),
};

export const appDeactivate: Command = {
  name: 'app deactivate',
  summary: 'Makes an app inactive and ends its access tokens at once.',
  operand: 'name',
  options: {},
  run: (args) => switchApp(args, false),
};

function switchApp(args: Arguments, active: boolean): Promise<void> {
  return withDatabase(args.environment, async ({ database, clock }) => {
    const { name } = parseFields({ name: args.operand }, VALIDATORS);
    const row = await database.transaction(async (transaction) => {
      const changed = await setAppActive(transaction, name, active);
      // A token that outlived this would come back to life with the app.
      if (!active) await openTokens(transaction, clock).revokeAll(idOf(name));
      return changed;
    });
    if (row === undefined)
      throw invalidFields([{ field: 'name', description: 'Must be an app that exists.' }]);
    args.print(appView(appFromRow(row)), `${args.operand} is now ${active ? 'active' : 'inactive'}.`);
  });
}
