import { createCredential, hashCredential } from '../credentials/credential.ts';
import type { App } from '../model/app.ts';
import { parseFields, resourceNameValidator } from '../model/fields.ts';
import { idOf } from '../model/resource-name.ts';
import { updateApp } from '../storage/apps.ts';
import { tokenStore } from '../storage/tokens.ts';
import type { UntrustedInput } from './data-layer.ts';
import type { AdminContext } from './dependencies.ts';
import { appFromRow } from './from-row.ts';
import { requireRow } from './require-row.ts';

const VALIDATORS = { name: resourceNameValidator('apps') };

/**
 * Replaces the private key of an app of any account, and revokes all access tokens of the app. The result contains
 * the new key.
 *
 * @param input `name` of the app
 * @throws INVALID_ARGUMENT with a violation for every invalid field
 */
export async function rotateAnyAppKey(admin: AdminContext, input: UntrustedInput): Promise<App> {
  const { name } = parseFields(input, VALIDATORS);
  const { database, clock, newId } = admin;
  const privateKey = createCredential('key', idOf(name), newId());

  const row = await database.transaction(async (transaction) => {
    const updated = await updateApp(transaction, name, { privateKeyHash: hashCredential(privateKey) });
    await tokenStore(transaction, clock).revokeAll(idOf(name));
    return updated;
  });
  return appFromRow(requireRow(row, 'name', 'app'), privateKey);
}
