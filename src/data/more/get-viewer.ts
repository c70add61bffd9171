import type { Caller } from '../../model/caller.ts';
import { ApiError } from '../../model/errors.ts';
import type { Token } from '../../model/token.ts';
import { findToken } from '../../storage/tokens.ts';
import type { Dependencies } from '../operation/dependencies.ts';
import { operation } from '../operation/operation.ts';
import { tokenFromRow } from '../rows/token.ts';

/**
 * Returns the public data of the token of the caller.
 *
 * @throws UNAUTHENTICATED if the token has ended since the authentication
 */
export const getViewer = operation(
  { caller: 'any', changes: false },
  async (
    { database }: Pick<Dependencies, 'database'>,
    { principal: { accountId, tokenId } }: Caller,
  ): Promise<Token> => {
    const row = await findToken(database, accountId, tokenId);
    // The token may have ended since the authentication.
    if (row === undefined) throw new ApiError('TOKEN_INVALID');
    return tokenFromRow(row);
  },
);
