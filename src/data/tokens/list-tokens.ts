import type { ConnectionPage } from '../../model/lists/list-page.ts';
import type { Token } from '../../model/token.ts';
import { TOKEN_LIST } from '../../storage/tables/tokens.ts';
import { accountOfInput } from '../access/account-of.ts';
import { begin, type Call, type OperatorContext, type Rules, type UntrustedInput } from '../call/call.ts';
import { tokenFromRow } from '../conversions/token.ts';
import { readList } from '../lists/read-list.ts';

listTokens.rules = { caller: 'whole account', changes: false } as const satisfies Rules;

/**
 * Returns one page of the valid tokens of an account and of its apps, in the order of their issue.
 *
 * @param input the arguments of a connection, and for the operator `account`
 */
export async function listTokens(
  call: Call | OperatorContext,
  input: UntrustedInput,
): Promise<ConnectionPage<Token>> {
  const { database, clock } = begin(call, listTokens.rules);
  const accountId = await accountOfInput(database, call.caller, input);
  const values = [accountId, clock()];
  return readList(database, { list: TOKEN_LIST, values, toItem: tokenFromRow }, input);
}
