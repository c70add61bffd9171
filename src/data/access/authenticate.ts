import { equalHashes, hashCredential, parseCredential } from '../../credentials/credential.ts';
import type { Principal } from '../../model/caller.ts';
import { ApiError } from '../../model/errors.ts';
import { findValidToken, lastUseChange } from '../../storage/tables/tokens.ts';
import type { OperationDependencies } from '../call/call.ts';
import { principalFromRow } from '../conversions/token.ts';

/**
 * Returns the principal of a bearer token. A token with a wrong checksum is rejected without a database query.
 *
 * @throws UNAUTHENTICATED if the token is malformed, unknown, expired or revoked, with the ids that a well-formed one
 *   claims
 */
export async function authenticate(
  { database, backgroundWrites, clock }: OperationDependencies,
  bearerToken: string,
): Promise<Principal> {
  const token = parseCredential(bearerToken);
  if (token === undefined) throw new ApiError('TOKEN_INVALID');
  if (token.kind === 'key') {
    const message = 'This is the private key of an app, not a token. Sign in with it to get a token.';
    throw new ApiError('TOKEN_INVALID', { message, claimed: token });
  }
  const row = await findValidToken(database, token.accountId, token.id, clock());
  if (row === undefined || !equalHashes(row.hash, hashCredential(bearerToken))) {
    throw new ApiError('TOKEN_INVALID', { claimed: token });
  }
  const use = lastUseChange(row, clock());
  if (use !== undefined) backgroundWrites.add(row.id, use);
  return principalFromRow(row);
}
