import type { ConnectionPage } from '../../model/lists/list-page.ts';
import type { Token } from '../../model/token.ts';
import { TOKENS } from '../../storage/tokens.ts';
import { accountOfInput } from '../access/account-of.ts';
import { type Reader, requireWholeAccount } from '../access/actor.ts';
import type { UntrustedInput } from '../data-layer.ts';
import { type ListDependencies, readList } from '../lists/read-list.ts';
import { tokenFromRow } from '../rows/from-row.ts';

/**
 * Returns one page of the valid tokens of an account and of its apps, in the order of their issue.
 *
 * @param input the arguments of a connection, and for the operator `account`
 * @throws PERMISSION_DENIED if the token of the reader does not see its whole account
 */
export async function listTokens(
  dependencies: ListDependencies,
  reader: Reader,
  input: UntrustedInput,
): Promise<ConnectionPage<Token>> {
  requireWholeAccount(reader);
  const accountId = await accountOfInput(dependencies.database, reader, input);
  const values = [accountId, dependencies.clock()];
  return readList(dependencies, { list: TOKENS, values, toItem: tokenFromRow }, input);
}
