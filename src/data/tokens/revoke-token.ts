import { equalHashes, hashCredential, parseCredential } from '../../credentials/credential.ts';
import { ApiError, unusableResource } from '../../model/errors.ts';
import { parseFields, tokenId } from '../../model/fields/fields.ts';
import { resourceName, type Ulid } from '../../model/resource-name.ts';
import type { Queryable } from '../../storage/interface/database.ts';
import {
  deleteTokenByName,
  deleteTokenRow,
  findToken,
  type TokenSecretRow,
} from '../../storage/tables/tokens.ts';
import { recordAct } from '../audit/audit.ts';
import { begin, type Call, type OperatorContext, type Rules, type UntrustedInput } from '../call/call.ts';

const INPUT = { id: tokenId };

revokeToken.rules = { caller: 'whole account', changes: true, input: INPUT } as const satisfies Rules;

/**
 * Revokes a token of the account or of one of its apps, including the caller's; for the operator, a token of any account.
 * Returns its id.
 *
 * @param input `id`, or for the operator the text of the token
 * @throws NOT_FOUND if the account has no valid token with this id
 * @throws INVALID_ARGUMENT for the field `id` or `token` if it is malformed, or for the operator if no valid token has it
 */
export async function revokeToken(
  call: Call | OperatorContext,
  input: UntrustedInput | string,
): Promise<Ulid> {
  const { database, clock, newId } = begin(call, revokeToken.rules);
  const { caller } = call;
  const isText = typeof input === 'string';
  const { id } = isText ? ((await findTokenByText(database, input)) ?? {}) : parseFields(input, INPUT);
  const revoke = (id: Ulid) =>
    database.transaction(async (transaction) => {
      const revoked = await (caller === 'operator'
        ? deleteTokenByName(transaction, `tokens/${id}`, clock())
        : deleteTokenRow(transaction, caller.principal.accountId, id, clock()));
      if (revoked === undefined) return false;
      const { account_id: accountId, app_id: appId } = revoked;
      const resource = appId === null ? resourceName('accounts', accountId) : resourceName('apps', appId);
      const act = { accountId, action: 'token.revoke', resource, tokenId: id } as const;
      await recordAct(transaction, { caller, newId }, act);
      return true;
    });
  if (id !== undefined && (await revoke(id))) return id;
  if (caller !== 'operator') throw new ApiError('RESOURCE_NOT_FOUND');
  throw isText
    ? unusableResource('token', 'Must be a valid account token or project token.')
    : unusableResource('id', 'Must be the id of a valid token.');
}

/** Returns the row of a bearer token, even if it is no longer valid; undefined if there is no such token. */
export async function findTokenByText(
  database: Queryable,
  text: string,
): Promise<TokenSecretRow | undefined> {
  const token = parseCredential(text);
  const row = token && (await findToken(database, token.accountId, token.id));
  // The ids in a token are not secret. The comparison of the hashes rejects a token with a wrong secret.
  return row && equalHashes(row.hash, hashCredential(text)) ? row : undefined;
}
