import { equalHashes, hashCredential, parseCredential } from '../credentials/credential.ts';
import { invalidFields } from '../model/api-error.ts';
import { parseFields, ulid } from '../model/fields.ts';
import { resourceName, type Ulid } from '../model/resource-name.ts';
import type { Queryable } from '../storage/database.ts';
import { findTokenById, revokeTokenById } from '../storage/tokens.ts';
import { recordAct } from './audit.ts';
import type { UntrustedInput } from './data-layer.ts';
import type { AdminContext } from './dependencies.ts';

/**
 * Revokes a token of any account.
 *
 * @param input `id`, or the text of the token
 * @throws INVALID_ARGUMENT for the field `id` or `token` if it is malformed, or no valid token has it
 */
export async function revokeToken(admin: AdminContext, input: UntrustedInput | string): Promise<void> {
  const isText = typeof input === 'string';
  const id = isText ? await idOfText(admin.database, input) : parseFields(input, { id: ulid }).id;
  const isRevoked = await admin.database.transaction(async (transaction) => {
    const revoked = id && (await revokeTokenById(transaction, id, admin.clock()));
    if (id === undefined || revoked === undefined) return false;
    const { accountId, appId } = revoked;
    const resource = appId === undefined ? resourceName('accounts', accountId) : resourceName('apps', appId);
    const act = { accountId, action: 'token.revoke', resource, tokenId: id } as const;
    await recordAct(transaction, admin, 'operator', act);
    return true;
  });
  if (isRevoked) return;
  throw invalidFields([
    isText
      ? { field: 'token', description: 'Must be a valid account token or project token.' }
      : { field: 'id', description: 'Must be the id of a valid token.' },
  ]);
}

async function idOfText(database: Queryable, text: string): Promise<Ulid | undefined> {
  const token = parseCredential(text);
  const item = token && (await findTokenById(database, token.serial));
  // The ids in a token are not secret. The comparison of the hashes rejects a token with a wrong secret.
  return item && equalHashes(item.hash, hashCredential(text)) ? item.id : undefined;
}
