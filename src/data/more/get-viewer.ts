import { ApiError } from '../../model/errors.ts';
import type { Principal } from '../../model/principal.ts';
import type { Token } from '../../model/token.ts';
import { findToken } from '../../storage/tokens.ts';
import type { Dependencies } from '../operation/dependencies.ts';
import { tokenFromRow } from '../rows/from-row.ts';

export async function getViewer(
  { database }: Pick<Dependencies, 'database'>,
  { accountId, tokenId }: Principal,
): Promise<Token> {
  const row = await findToken(database, accountId, tokenId);
  // The token may have ended since the authentication.
  if (row === undefined) throw new ApiError('TOKEN_INVALID');
  return tokenFromRow(row);
}
