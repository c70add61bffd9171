import { readDuration } from '../config.ts';
import { createAccountToken } from '../data/create-account-token.ts';
import type { Command } from './command.ts';
import { withDatabase } from './with-database.ts';

const DEFAULT_TTL = '90d';

export const tokenCreate: Command = {
  name: 'token create',
  summary: 'Creates an account token. It is shown once.',
  options: {
    account: { value: '<name>', description: 'The account, accounts/<ULID>.', required: true },
    project: {
      value: '<name>',
      description: 'The default project of new apps; without it, the first project of the account.',
    },
    'expires-in': {
      value: '<time>',
      description: `The lifetime, such as ${DEFAULT_TTL} (the default), 12h or 30m.`,
    },
  },
  run: (args) =>
    withDatabase(args.environment, async (admin) => {
      const ttlSeconds = readDuration('--expires-in', args.optional('expires-in') ?? DEFAULT_TTL);
      const input = { account: args.required('account'), project: args.optional('project') };
      const { accessToken, expireTimeMs } = await createAccountToken(admin, input, ttlSeconds);
      const expireTime = new Date(expireTimeMs).toISOString();
      args.print({ accessToken, expireTime }, `${accessToken}\nExpires at ${expireTime}.`);
    }),
};
