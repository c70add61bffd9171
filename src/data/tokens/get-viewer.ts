import { ApiError } from '../../model/errors.ts';
import type { Token } from '../../model/token.ts';
import { findToken } from '../../storage/tables/tokens.ts';
import { begin, type Call } from '../call/call.ts';
import type { OperationDependencies } from '../call/dependencies.ts';
import type { Rules } from '../call/rules.ts';
import { tokenFromRow } from '../conversions/token.ts';

getViewer.rules = { caller: 'any', changes: false } as const satisfies Rules;

/**
 * Returns the public data of the token of the caller.
 *
 * @throws UNAUTHENTICATED if the token has ended since the authentication
 */
export async function getViewer(call: Call<Pick<OperationDependencies, 'database'>>): Promise<Token> {
  const { database } = begin(call, getViewer.rules);
  const {
    principal: { accountId, tokenId },
  } = call.caller;

  const row = await findToken(database, accountId, tokenId);
  // The token may have ended since the authentication.
  if (row === undefined) throw new ApiError('TOKEN_INVALID');
  return tokenFromRow(row);
}
