import { equalHashes, hashCredential, parseCredential } from '../../credentials/credential.ts';
import { ApiError, unusableResource } from '../../model/errors.ts';
import { parseFields } from '../../model/fields/fields.ts';
import { revokeTokenFields } from '../../model/fields/operation-fields.ts';
import { resourceName, type Ulid } from '../../model/resource-name.ts';
import type { Queryable } from '../../storage/port/database.ts';
import { findToken, revokeTokenByName, revokeToken as revokeTokenOfAccount } from '../../storage/tokens.ts';
import { type Actor, requireWholeAccount } from '../access/actor.ts';
import { recordAct } from '../audit/audit.ts';
import type { UntrustedInput } from '../data-layer.ts';
import type { AdminContext } from '../operation/dependencies.ts';

/**
 * Revokes a token, and returns its id. See `Changes.revokeToken`. The operator can revoke a token of any account.
 *
 * @param input `id`, or for the operator the text of the token
 * @throws INVALID_ARGUMENT for the field `id` or `token` if it is malformed, or for the operator if no valid token has it
 */
export async function revokeToken(
  dependencies: Pick<AdminContext, 'database' | 'clock' | 'newId'>,
  actor: Actor,
  input: UntrustedInput | string,
): Promise<Ulid> {
  requireWholeAccount(actor);
  const { database, clock } = dependencies;
  const isText = typeof input === 'string';
  const id = isText ? await idOfText(database, input) : parseFields(input, revokeTokenFields).id;
  const isRevoked = await database.transaction(async (transaction) => {
    if (id === undefined) return false;
    const revoked = await (actor === 'operator'
      ? revokeTokenByName(transaction, `tokens/${id}`, clock())
      : revokeTokenOfAccount(transaction, actor.principal.accountId, id, clock()));
    if (revoked === undefined) return false;
    const { account_id: accountId, app_id: appId } = revoked;
    const resource = appId === null ? resourceName('accounts', accountId) : resourceName('apps', appId);
    const act = { accountId, action: 'token.revoke', resource, tokenId: id } as const;
    await recordAct(transaction, dependencies, actor, act);
    return true;
  });
  if (isRevoked && id !== undefined) return id;
  if (actor !== 'operator') throw new ApiError('RESOURCE_NOT_FOUND');
  throw isText
    ? unusableResource('token', 'Must be a valid account token or project token.')
    : unusableResource('id', 'Must be the id of a valid token.');
}

async function idOfText(database: Queryable, text: string): Promise<Ulid | undefined> {
  const token = parseCredential(text);
  const row = token && (await findToken(database, token.accountId, token.id));
  // The ids in a token are not secret. The comparison of the hashes rejects a token with a wrong secret.
  return row && equalHashes(row.hash, hashCredential(text)) ? row.id : undefined;
}
