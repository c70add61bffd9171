import { deleteApp } from '../data/delete-app.ts';
import { appView } from '../model/app.ts';
import { type Command, YES } from './command.ts';
import { withDatabase } from './with-database.ts';

export const appDelete: Command = {
  name: 'app delete',
  summary: 'Deletes an app and revokes its project tokens.',
  operand: 'name',
  options: { yes: YES },
  run: (args) =>
    withDatabase(args.environment, async (admin) => {
      const app = await deleteApp(admin, { name: args.operand });
      args.print(appView(app), `Deleted ${app.name}.`);
    }),
};
