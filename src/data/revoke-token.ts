import { equalHashes, hashCredential, parseCredential } from '../credentials/credential.ts';
import { invalidFields } from '../model/api-error.ts';
import { openTokens } from '../storage/tokens.ts';
import type { AdminContext } from './dependencies.ts';

/**
 * Revokes an account token or an access token.
 *
 * @param text the whole token
 * @throws INVALID_ARGUMENT on the field `token` if it is not a live token
 */
export async function revokeToken({ database, clock }: AdminContext, text: string): Promise<void> {
  const tokens = openTokens(database, clock);
  const token = parseCredential(text);
  const record = token && (await tokens.find(token.ownerId, token.serial));
  // The hash is compared, so that a wrong token with the right id revokes nothing.
  const isLive = record !== undefined && equalHashes(record.hash, hashCredential(text));
  if (!isLive || !token || !(await tokens.revoke(token.ownerId, token.serial))) {
    throw invalidFields([{ field: 'token', description: 'Must be an access token that is live.' }]);
  }
}
