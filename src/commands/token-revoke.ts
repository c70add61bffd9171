import { equalHashes, hashCredential, parseCredential } from '../credentials/credential.ts';
import { invalidFields } from '../model/api-error.ts';
import { openTokens } from '../storage/tokens.ts';
import type { Command } from './command.ts';
import { type AdminContext, withDatabase } from './with-database.ts';

export const tokenRevoke: Command = {
  name: 'token revoke',
  summary: 'Ends an account-level or project-level access token at once.',
  operand: 'token',
  options: {},
  run: (args) =>
    withDatabase(args.environment, async (admin) => {
      if (!(await revokeToken(admin, args.operand))) {
        throw invalidFields([{ field: 'token', description: 'Must be an access token that is live.' }]);
      }
      args.print({ revoked: true }, 'Revoked.');
    }),
};

/** Ends a token, and returns whether it was live. */
async function revokeToken({ database, clock }: AdminContext, text: string): Promise<boolean> {
  const tokens = openTokens(database, clock);
  const token = parseCredential(text);
  if (token === undefined) return false;
  const record = await tokens.find(token.ownerId, token.serial);
  // One that was mistyped must not end another.
  if (record === undefined || !equalHashes(record.hash, hashCredential(text))) return false;
  return tokens.revoke(token.ownerId, token.serial);
}
