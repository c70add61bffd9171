import { updateApp } from '../data/update-app.ts';
import { appView } from '../model/app.ts';
import type { Command } from './command.ts';
import { withDatabase } from './with-database.ts';

export const appUpdate: Command = {
  name: 'app update',
  summary: 'Updates an app. Omitted fields are not changed.',
  operand: 'name',
  options: {
    title: { value: '<text>', description: 'The new title, 1 to 200 characters.' },
  },
  run: (args) =>
    withDatabase(args.environment, async (admin) => {
      const app = await updateApp(admin, 'operator', {
        name: args.operand,
        title: args.optional('title'),
      });
      args.print(appView(app), `Updated ${app.name}.`);
    }),
};
