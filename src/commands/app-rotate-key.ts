import { rotateAnyAppKey } from '../data/rotate-any-app-key.ts';
import { appView } from '../rest/views.ts';
import type { Command } from './command.ts';
import { withDatabase } from './with-database.ts';

export const appRotateKey: Command = {
  name: 'app rotate-key',
  summary: 'Replaces the private key of an app and revokes its access tokens. The new key is shown once.',
  operand: 'name',
  options: {},
  run: (args) =>
    withDatabase(args.environment, async (admin) => {
      const app = await rotateAnyAppKey(admin, { name: args.operand });
      args.print(appView(app), `${app.privateKey}\nThis is the new private key of ${app.name}.`);
    }),
};
