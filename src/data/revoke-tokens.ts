import { invalidFields } from '../model/api-error.ts';
import { parseFields, resourceNameValidator, ulid } from '../model/fields.ts';
import { idOf } from '../model/resource-name.ts';
import { findAppByName } from '../storage/apps.ts';
import { revokeTokenById, revokeTokensOfAccount, revokeTokensOfOwner } from '../storage/tokens.ts';
import type { UntrustedInput } from './data-layer.ts';
import type { AdminContext } from './dependencies.ts';
import { requireAccount } from './require-account.ts';
import { requireRow } from './require-row.ts';

/**
 * Revokes the token with an id.
 *
 * @param input `id`
 * @throws INVALID_ARGUMENT for the field `id` if it is malformed, or no valid token has it
 */
export async function revokeTokenOfId(
  { database, clock }: AdminContext,
  input: UntrustedInput,
): Promise<void> {
  const { id } = parseFields(input, { id: ulid });
  if (!(await revokeTokenById(database, id, clock()))) {
    throw invalidFields([{ field: 'id', description: 'Must be the id of a valid token.' }]);
  }
}

/**
 * Revokes all tokens of an app. Returns the number of those that were valid.
 *
 * @param input `app`
 * @throws INVALID_ARGUMENT with a violation for every invalid field
 */
export async function revokeAppTokens(
  { database, clock }: AdminContext,
  input: UntrustedInput,
): Promise<number> {
  const { app } = parseFields(input, { app: resourceNameValidator('apps') });
  requireRow(await findAppByName(database, app), 'app', 'app');
  return revokeTokensOfOwner(database, idOf(app), clock());
}

/**
 * Revokes all tokens of an account and of its apps. Returns the number of those that were valid.
 *
 * @param input `account`
 * @throws INVALID_ARGUMENT with a violation for every invalid field
 */
export async function revokeAccountTokens(
  { database, clock }: AdminContext,
  input: UntrustedInput,
): Promise<number> {
  const { account } = parseFields(input, { account: resourceNameValidator('accounts') });
  const { id } = await requireAccount(database, account);
  return revokeTokensOfAccount(database, id, clock());
}
