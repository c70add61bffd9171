import { ApiError } from '../../model/errors.ts';
import type { Token } from '../../model/token.ts';
import { findToken } from '../../storage/tables/tokens.ts';
import { begin, type Call, type Rules } from '../call/call.ts';
import { tokenFromRow } from '../conversions/token.ts';

getViewer.rules = { caller: 'any', changes: false } as const satisfies Rules;

/**
 * Returns the public data of the token of the caller.
 *
 * @throws UNAUTHENTICATED if the token is no longer valid
 */
export async function getViewer(call: Call): Promise<Token> {
  const { database } = begin(call, getViewer.rules);
  const { accountId, tokenId } = call.caller.principal;

  const row = await findToken(database, accountId, tokenId);
  if (row === undefined) throw new ApiError('TOKEN_INVALID');
  return tokenFromRow(row);
}
