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
 * Activates or deactivates an app. The deactivation revokes all access tokens of the app.
 *
 * @param input `name` of the app
 * @throws INVALID_ARGUMENT with a violation for every invalid field
 */
export async function setAppActive(
  admin: AdminContext,
  input: UntrustedInput,
  active: boolean,
): Promise<App> {
  const { name } = parseFields(input, VALIDATORS);
  const { database, clock } = admin;

  const row = await database.transaction(async (transaction) => {
    const updated = await updateApp(transaction, name, { active });
    // Without this, the tokens would become valid again when the app is reactivated.
    if (!active) await tokenStore(transaction, clock).revokeAll(idOf(name));
    return updated;
  });
  return appFromRow(requireRow(row, 'name', 'app'));
}
