import { parseCredential } from '../credentials/credential.ts';
import { invalidFields } from '../model/api-error.ts';
import { openTokens } from '../storage/tokens.ts';
import type { Command } from './command.ts';
import { withDatabase } from './with-database.ts';

export const tokenRevoke: Command = {
  name: 'token revoke',
  summary: 'Ends an account-level or project-level access token at once.',
  operand: 'token',
  options: {},
  run: (args) =>
    withDatabase(args.environment, async ({ database, clock }) => {
      const token = parseCredential(args.operand);
      const known = token && (await openTokens(database, clock).revoke(token.ownerId, token.serial));
      if (!known)
        throw invalidFields([{ field: 'token', description: 'Must be an access token that is live.' }]);
      args.print({ revoked: true }, 'Revoked.');
    }),
};
