import type { Caller } from '../../model/caller.ts';
import type { ConnectionPage } from '../../model/lists/list-page.ts';
import type { Token } from '../../model/token.ts';
import { TOKEN_LIST } from '../../storage/tables/tokens.ts';
import { accountOfInput } from '../access/account-of.ts';
import { begin, type Call } from '../call/call.ts';
import type { Rules, UntrustedInput } from '../call/rules.ts';
import { tokenFromRow } from '../conversions/token.ts';
import { type ListDependencies, readList } from '../lists/read-list.ts';

listTokens.rules = { caller: 'whole account', changes: false } as const satisfies Rules;

/**
 * Returns one page of the valid tokens of an account and of its apps, in the order of their issue.
 *
 * @param input the arguments of a connection, and for the operator `account`
 */
export async function listTokens(
  call: Call<ListDependencies, Caller | 'operator'>,
  input: UntrustedInput,
): Promise<ConnectionPage<Token>> {
  const dependencies = begin(call, listTokens.rules);
  const { caller } = call;
  const accountId = await accountOfInput(dependencies.database, caller, input);
  const values = [accountId, dependencies.clock()];
  return readList(dependencies, { list: TOKEN_LIST, values, toItem: tokenFromRow }, input);
}
