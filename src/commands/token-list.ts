import { listTokens } from '../data/list-tokens.ts';
import { listCommand } from './list-command.ts';
import { tokenView } from './views.ts';

export const tokenList = listCommand({
  name: 'token list',
  summary: 'Lists the valid tokens of an account and of its apps, without their secrets.',
  plural: 'tokens',
  filters: { account: { value: '<name>', description: 'The account, accounts/<ULID>.', required: true } },
  read: (dependencies, input) => listTokens(dependencies, 'operator', input),
  view: tokenView,
  columns: (token) => {
    const { id, level, app, expireTime } = tokenView(token);
    return [id, level, expireTime, app];
  },
});
