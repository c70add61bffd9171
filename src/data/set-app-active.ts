import { invalidFields } from '../model/api-error.ts';
import type { App } from '../model/app.ts';
import { parseFields, resourceNameValidator } from '../model/fields.ts';
import { idOf } from '../model/resource-name.ts';
import { updateAppActive } from '../storage/apps.ts';
import { openTokens } from '../storage/tokens.ts';
import type { UntrustedInput } from './data-layer.ts';
import type { AdminContext } from './dependencies.ts';
import { appFromRow } from './from-row.ts';

const VALIDATORS = { name: resourceNameValidator('apps') };

/**
 * Activates or deactivates the app `name`. Deactivating it revokes all its access tokens.
 * @throws INVALID_ARGUMENT that names the field
 */
export async function setAppActive(
  admin: AdminContext,
  input: UntrustedInput,
  active: boolean,
): Promise<App> {
  const { name } = parseFields(input, VALIDATORS);
  const { database, clock } = admin;

  const row = await database.transaction(async (transaction) => {
    const updated = await updateAppActive(transaction, name, active);
    // Otherwise the tokens would work again once the app is activated.
    if (!active) await openTokens(transaction, clock).revokeAll(idOf(name));
    return updated;
  });
  if (row === undefined) throw invalidFields([{ field: 'name', description: 'Must be an app that exists.' }]);
  return appFromRow(row);
}
