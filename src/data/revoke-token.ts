import { equalHashes, hashCredential, parseCredential } from '../credentials/credential.ts';
import { invalidFields } from '../model/api-error.ts';
import { tokenStore } from '../storage/tokens.ts';
import type { AdminContext } from './dependencies.ts';

/**
 * Revokes an account token or an access token.
 *
 * @param text the token
 * @throws INVALID_ARGUMENT for the field `token` if it is malformed, unknown, expired or revoked
 */
export async function revokeToken({ database, clock }: AdminContext, text: string): Promise<void> {
  const tokens = tokenStore(database, clock);
  const token = parseCredential(text);
  const record = token && (await tokens.find(token.ownerId, token.serial));
  // The ids in a token are not secret. The comparison of the hashes rejects a token with a wrong secret.
  const isValid = record !== undefined && equalHashes(record.hash, hashCredential(text));
  if (!isValid || !token || !(await tokens.revoke(token.ownerId, token.serial))) {
    throw invalidFields([{ field: 'token', description: 'Must be a valid account token or access token.' }]);
  }
}
