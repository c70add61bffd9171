import type { Caller } from '../../model/caller.ts';
import type { ConnectionPage } from '../../model/lists/list-page.ts';
import type { Token } from '../../model/token.ts';
import { TOKENS } from '../../storage/tokens.ts';
import { accountOfInput } from '../access/account-of.ts';
import { type ListDependencies, readList } from '../lists/read-list.ts';
import { operation, type UntrustedInput } from '../operation/operation.ts';
import { tokenFromRow } from '../rows/token.ts';

/**
 * Returns one page of the valid tokens of an account and of its apps, in the order of their issue.
 *
 * @param input the arguments of a connection, and for the operator `account`
 */
export const listTokens = operation(
  { caller: 'whole account', changes: false },
  async (
    dependencies: ListDependencies,
    caller: Caller | 'operator',
    input: UntrustedInput,
  ): Promise<ConnectionPage<Token>> => {
    const accountId = await accountOfInput(dependencies.database, caller, input);
    const values = [accountId, dependencies.clock()];
    return readList(dependencies, { list: TOKENS, values, toItem: tokenFromRow }, input);
  },
);
