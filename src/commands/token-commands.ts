import type { OperatorContext } from '../data/call/call.ts';
import { createToken } from '../data/tokens/create-token.ts';
import { listTokens } from '../data/tokens/list-tokens.ts';
import { revokeToken } from '../data/tokens/revoke-token.ts';
import { renameFields } from '../model/fields/fields.ts';
import { DEFAULT_TOKEN_DAYS } from '../model/token.ts';
import { withAppTitles } from '../operator/app-titles.ts';
import { revokeAccountTokens, revokeAppTokens } from '../operator/revoke-tokens.ts';
import { changeCommand } from './cli/change-command.ts';
import {
  ACCOUNT_OPTION,
  type Arguments,
  type Command,
  flag,
  nameOption,
  optionalOption,
  UsageError,
} from './cli/command.ts';
import { counted } from './cli/counts.ts';
import { durationOf, inWords } from './cli/duration.ts';
import { listCommand } from './cli/list-command.ts';
import { toMinute } from './cli/safe-output.ts';
import { tokenView } from './cli/views.ts';

const DEFAULT_TTL = `${DEFAULT_TOKEN_DAYS}d`;

const tokenRevoke = changeCommand({
  synopsis: 'token revoke',
  summary: 'Revokes tokens. Without an option, it reads the token from standard input.',
  options: {
    id: optionalOption('<id>', 'The token with this id; see token list.'),
    app: nameOption('apps', 'All tokens of the app, apps/<ULID>.'),
    account: nameOption('accounts', 'All tokens of the account, accounts/<ULID>, and of its apps.'),
  },
  async run(operator, input, { readLine }) {
    const options = Object.keys(input);
    if (options.length > 1) throw new UsageError('Use only one of --id, --app and --account.');
    // A secret in the arguments could be read by other users of the machine.
    const token = options.length === 0 ? await readLine('Token: ') : '';
    return { revoked: await revoke(operator, input, token) };
  },
  text: ({ revoked }) => `Revoked ${counted(revoked, 'tokens')}.`,
});

async function revoke(
  operator: OperatorContext,
  values: Arguments['values'],
  token: string,
): Promise<number> {
  if ('app' in values) return revokeAppTokens(operator, values);
  if ('account' in values) return revokeAccountTokens(operator, values);
  await revokeToken(operator, 'id' in values ? values : token);
  return 1;
}

export const tokenCommands: readonly Command[] = [
  changeCommand({
    synopsis: 'token create',
    summary: 'Creates an account token. It is shown once.',
    options: {
      account: ACCOUNT_OPTION,
      project: nameOption(
        'projects',
        'The default project of new apps; without it, the first project of the account.',
      ),
      'only-project': nameOption('projects', 'The only project that the token has access to.'),
      'read-only': flag('Creates a read-only token.'),
      title: optionalOption('<text>', 'A title to recognize the token by in lists, up to 200 characters.'),
      'expires-in': optionalOption(
        '<duration>',
        `The lifetime, such as ${DEFAULT_TTL} (the default), 12h or 30m.`,
      ),
    },
    isSecret: true,
    async run(operator, input, args) {
      const { 'only-project': onlyProject, 'expires-in': expiresIn = DEFAULT_TTL, ...others } = input;
      const ttlSeconds = durationOf('expires-in', expiresIn);
      const expireTime = new Date(operator.clock() + ttlSeconds * 1000).toISOString();
      const fields = { ...others, onlyProject, readOnly: args.isSet('read-only'), expireTime };
      const create = () => createToken(operator, fields);
      const { id, title, accessToken } = await renameFields({ onlyProject: 'only-project' }, create);
      return { id, title, accessToken, expireTime, ttlSeconds };
    },
    view: ({ ttlSeconds: _, ...token }) => token,
    text: ({ accessToken, expireTime, ttlSeconds }) =>
      `${accessToken}\nExpires in ${inWords(ttlSeconds)}, at ${expireTime}.`,
  }),
  listCommand({
    synopsis: 'token list',
    summary:
      'Lists the valid tokens of an account and of its apps, or of all accounts, without their secrets.',
    plural: 'tokens',
    filters: {
      account: nameOption('accounts', 'Only tokens of the account, accounts/<ULID>, and of its apps.'),
      ending: optionalOption('<duration>', 'Only account tokens that expire within this time, such as 14d.'),
    },
    async read(operator, { ending, ...input }) {
      const isAll = typeof ending !== 'string';
      const until = isAll ? undefined : new Date(operator.clock() + durationOf('ending', ending) * 1000);
      return withAppTitles(operator, await listTokens(operator, { ...input, ...(until && { until }) }));
    },
    view: ({ appTitle = '', ...token }) => ({ ...tokenView(token), appTitle }),
    columns: ({ id, title, appTitle, readOnly, expireTime, lastUseTime, ...token }, isWide) => ({
      id,
      // The tokens of apps have no title.
      'title or app': title || appTitle,
      access: readOnly ? 'read-only' : 'read-write',
      expires: isWide ? expireTime : toMinute(expireTime),
      'last use': (isWide ? lastUseTime : toMinute(lastUseTime)) || 'never',
      ...(isWide && {
        level: token.level,
        for: token.onlyProject ? token.project : token.account,
        app: token.app,
        maker: token.maker,
      }),
    }),
  }),
  tokenRevoke,
];
