import type { AdminContext } from '../data/dependencies.ts';
import { revokeToken } from '../data/revoke-token.ts';
import { revokeAccountTokens, revokeAppTokens, revokeTokenOfId } from '../data/revoke-tokens.ts';
import { type Arguments, type Command, UsageError } from './command.ts';
import { counted } from './counts.ts';
import { withDatabase } from './with-database.ts';

export const tokenRevoke: Command = {
  name: 'token revoke',
  summary: 'Revokes tokens. Without an option, it reads the token from standard input.',
  options: {
    id: { value: '<id>', description: 'The token with this id; see token list.' },
    app: { value: '<name>', description: 'All tokens of the app, apps/<ULID>.' },
    account: { value: '<name>', description: 'All tokens of the account, accounts/<ULID>, and of its apps.' },
  },
  async run(args) {
    const given = ['id', 'app', 'account'].filter((option) => args.optional(option) !== undefined);
    if (given.length > 1) throw new UsageError('Use only one of --id, --app and --account.');
    // A secret in the arguments could be read by other users of the machine.
    const token = given.length === 0 ? await args.readLine() : '';
    await withDatabase(args.environment, async (admin) => {
      const revoked = await revoke(admin, args, token);
      args.print({ revoked }, `Revoked ${counted(revoked, 'token')}.`);
    });
  },
};

async function revoke(admin: AdminContext, args: Arguments, token: string): Promise<number> {
  const [id, app, account] = [args.optional('id'), args.optional('app'), args.optional('account')];
  if (app !== undefined) return revokeAppTokens(admin, { app });
  if (account !== undefined) return revokeAccountTokens(admin, { account });
  await (id === undefined ? revokeToken(admin, token) : revokeTokenOfId(admin, { id }));
  return 1;
}
