import { revokeToken } from '../data/revoke-token.ts';
import type { Command } from './command.ts';
import { withDatabase } from './with-database.ts';

export const tokenRevoke: Command = {
  name: 'token revoke',
  summary: 'Revokes an account token or an access token.',
  operand: 'token',
  options: {},
  run: (args) =>
    withDatabase(args.environment, async (admin) => {
      await revokeToken(admin, args.operand);
      args.print({ revoked: true }, 'Revoked.');
    }),
};
