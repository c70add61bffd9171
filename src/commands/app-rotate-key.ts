import { readDuration } from '../config.ts';
import { rotateAppKey } from '../data/rotate-app-key.ts';
import { appView } from '../model/app.ts';
import type { Command } from './command.ts';
import { withDatabase } from './with-database.ts';

export const appRotateKey: Command = {
  name: 'app rotate-key',
  summary: 'Replaces the private key of an app. The new key is shown once.',
  operand: 'name',
  options: {
    grace: {
      value: '<time>',
      description:
        'How long the old key and its project tokens stay valid, such as 1h, up to 7d. They end at once by default.',
    },
  },
  run: (args) =>
    withDatabase(args.environment, async (admin) => {
      const gracePeriod = readDuration('--grace', args.optional('grace') ?? '0s', 0, '7d');
      const app = await rotateAppKey(admin, 'operator', { name: args.operand, gracePeriod });
      args.print(appView(app), `${app.privateKey}\nThis is the new private key of ${app.name}.`);
    }),
};
