import { equalHashes, hashCredential, parseCredential } from '../credentials/credential.ts';
import { invalidFields } from '../model/api-error.ts';
import { findTokenById } from '../storage/tokens.ts';
import type { AdminContext } from './dependencies.ts';
import { revokeRecorded } from './revoke-tokens.ts';

/**
 * Revokes an account token or a project token.
 *
 * @param text the token
 * @throws INVALID_ARGUMENT for the field `token` if it is malformed, unknown, expired or revoked
 */
export async function revokeToken(admin: AdminContext, text: string): Promise<void> {
  const token = parseCredential(text);
  const item = token && (await findTokenById(admin.database, token.serial));
  // The ids in a token are not secret. The comparison of the hashes rejects a token with a wrong secret.
  const isRightSecret = item !== undefined && equalHashes(item.hash, hashCredential(text));
  if (!isRightSecret || !(await revokeRecorded(admin, item.id))) {
    throw invalidFields([{ field: 'token', description: 'Must be a valid account token or project token.' }]);
  }
}
