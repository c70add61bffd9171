import { equalHashes, hashCredential, parseCredential } from '../credentials/credential.ts';
import { ApiError } from '../model/api-error.ts';
import type { Principal } from '../model/principal.ts';
import { findValidToken, lastUseStatement } from '../storage/tokens.ts';
import type { Dependencies } from './dependencies.ts';
import { principalFromRow } from './from-row.ts';

/** See `Reads.authenticate`. A token with a wrong checksum is rejected without a database query. */
export async function authenticate(
  { database, backgroundWrites, clock }: Pick<Dependencies, 'database' | 'backgroundWrites' | 'clock'>,
  bearerToken: string,
): Promise<Principal> {
  const token = parseCredential(bearerToken);
  if (token === undefined || token.kind === 'key') throw new ApiError('TOKEN_INVALID');
  const row = await findValidToken(database, token.accountId, token.serial, clock());
  if (row === undefined || !equalHashes(row.hash, hashCredential(bearerToken)))
    throw new ApiError('TOKEN_INVALID');
  const use = lastUseStatement(row, clock());
  if (use !== undefined) backgroundWrites.add(row.id, use);
  return principalFromRow(row);
}
