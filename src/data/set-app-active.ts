import type { App } from '../model/app.ts';
import { parseFields, resourceNameValidator } from '../model/fields.ts';
import { findAppByName } from '../storage/apps.ts';
import { type Act, recordOperatorAct } from './audit.ts';
import { changeApp } from './change-app.ts';
import type { UntrustedInput } from './data-layer.ts';
import type { AdminContext } from './dependencies.ts';
import { requireRow } from './require-row.ts';

const VALIDATORS = { name: resourceNameValidator('apps') };

/**
 * Activates or deactivates an app of any account. The deactivation revokes all access tokens of the app.
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
  const app = await admin.database.transaction(async (transaction) => {
    const row = await findAppByName(transaction, name);
    if (row === undefined) return undefined;
    const record = (act: Act) => recordOperatorAct(transaction, admin, row.account_id, act);
    return changeApp(transaction, admin, row.account_id, row.id, { active }, record);
  });
  return requireRow(app, 'name', 'app');
}
