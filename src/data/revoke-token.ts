import { equalHashes, hashCredential, parseCredential } from '../credentials/credential.ts';
import { invalidFields } from '../model/api-error.ts';
import { findToken, revokeTokenById } from '../storage/tokens.ts';
import type { AdminContext } from './dependencies.ts';

/**
 * Revokes an account token or an access token.
 *
 * @param text the token
 * @throws INVALID_ARGUMENT for the field `token` if it is malformed, unknown, expired or revoked
 */
export async function revokeToken({ database, clock }: AdminContext, text: string): Promise<void> {
  const token = parseCredential(text);
  const item = token && (await findToken(database, token.ownerId, token.serial));
  // The ids in a token are not secret. The comparison of the hashes rejects a token with a wrong secret.
  const isRightSecret = item !== undefined && equalHashes(item.hash, hashCredential(text));
  if (!isRightSecret || !(await revokeTokenById(database, item.id, clock()))) {
    throw invalidFields([{ field: 'token', description: 'Must be a valid account token or access token.' }]);
  }
}
