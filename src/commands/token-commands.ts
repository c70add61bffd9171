import { createAccountToken } from '../data/create-account-token.ts';
import type { AdminContext } from '../data/dependencies.ts';
import { listTokens } from '../data/list-tokens.ts';
import { revokeToken } from '../data/revoke-token.ts';
import { revokeAccountTokens, revokeAppTokens } from '../data/revoke-tokens.ts';
import { renameFields } from '../model/fields.ts';
import { changeCommand } from './change-command.ts';
import { ACCOUNT, type Arguments, type Command, UsageError } from './command.ts';
import { counted } from './counts.ts';
import { durationOf, inWords } from './duration.ts';
import { listCommand } from './list-command.ts';
import { tokenView } from './views.ts';
import { withDatabase } from './with-database.ts';

const DEFAULT_TTL = '90d';

const tokenRevoke: Command = {
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
    const token = given.length === 0 ? await args.readLine('Token: ') : '';
    await withDatabase(args, async (admin) => {
      const revoked = await revoke(admin, args, token);
      args.print({ revoked }, `Revoked ${counted(revoked, 'token')}.`);
    });
  },
};

async function revoke(admin: AdminContext, args: Arguments, token: string): Promise<number> {
  const [id, app, account] = [args.optional('id'), args.optional('app'), args.optional('account')];
  if (app !== undefined) return revokeAppTokens(admin, { app });
  if (account !== undefined) return revokeAccountTokens(admin, { account });
  await revokeToken(admin, 'operator', id === undefined ? token : { id });
  return 1;
}

/** The commands for tokens. */
export const tokenCommands: readonly Command[] = [
  changeCommand({
    name: 'token create',
    summary: 'Creates an account token. It is shown once.',
    options: {
      account: ACCOUNT,
      project: {
        value: '<name>',
        description: 'The default project of new apps; without it, the first project of the account.',
      },
      'only-project': { value: '<name>', description: 'The only project that the token sees.' },
      'read-only': { description: 'The token may only read.' },
      title: {
        value: '<text>',
        description: 'A title, up to 200 characters, by which lists show the token.',
      },
      'expires-in': {
        value: '<duration>',
        description: `The lifetime, such as ${DEFAULT_TTL} (the default), 12h or 30m.`,
      },
    },
    isSecret: true,
    async run(admin, input, args) {
      const ttlSeconds = durationOf('expires-in', args.optional('expires-in') ?? DEFAULT_TTL);
      const { 'only-project': onlyProject, ...others } = input;
      const fields = { ...others, onlyProject, readOnly: args.isSet('read-only') };
      const create = () => createAccountToken(admin, fields, ttlSeconds);
      const { accessToken, expireTimeMs } = await renameFields({ onlyProject: 'only-project' }, create);
      return { accessToken, expireTime: new Date(expireTimeMs).toISOString(), ttlSeconds };
    },
    view: ({ accessToken, expireTime }) => ({ accessToken, expireTime }),
    text: ({ accessToken, expireTime, ttlSeconds }) =>
      `${accessToken}\nExpires in ${inWords(ttlSeconds)}, at ${expireTime}.`,
  }),
  listCommand({
    name: 'token list',
    summary: 'Lists the valid tokens of an account and of its apps, without their secrets.',
    plural: 'tokens',
    filters: { account: ACCOUNT },
    read: (dependencies, input) => listTokens(dependencies, 'operator', input),
    view: tokenView,
    columns: (token) => {
      const { id, level, expireTime, lastUseTime, account, project, app, title } = tokenView(token);
      const access = token.readOnly ? 'read-only' : 'read-write';
      const scope = token.onlyProject ? project : account;
      return [id, level, access, expireTime, lastUseTime || 'never', scope, app, title];
    },
  }),
  tokenRevoke,
];
