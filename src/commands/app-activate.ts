import { updateApp } from '../data/update-app.ts';
import { appView } from '../model/app.ts';
import type { Arguments, Command } from './command.ts';
import { withDatabase } from './with-database.ts';

export const appActivate: Command = {
  name: 'app activate',
  summary: 'Activates an app. Only an active app can sign in.',
  operand: 'name',
  options: {},
  run: (args) => run(args, true),
};

export const appDeactivate: Command = {
  name: 'app deactivate',
  summary: 'Deactivates an app and revokes its project tokens.',
  operand: 'name',
  options: {},
  run: (args) => run(args, false),
};

function run(args: Arguments, active: boolean): Promise<void> {
  return withDatabase(args.environment, async (admin) => {
    const app = await updateApp(admin, 'operator', { name: args.operand, active });
    args.print(appView(app), `${app.name} is now ${active ? 'active' : 'inactive'}.`);
  });
}
