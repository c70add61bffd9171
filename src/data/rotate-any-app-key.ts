import type { App } from '../model/app.ts';
import { nullable, parseFields, resourceNameValidator } from '../model/fields.ts';
import { gracePeriod } from '../model/operation-fields.ts';
import { findAppByName } from '../storage/apps.ts';
import { type Act, recordOperatorAct } from './audit.ts';
import { changeAppKey } from './change-app.ts';
import type { UntrustedInput } from './data-layer.ts';
import type { AdminContext } from './dependencies.ts';
import { requireRow } from './require-row.ts';

const VALIDATORS = { name: resourceNameValidator('apps'), grace: nullable(gracePeriod) };

/**
 * Gives an app of any account a new private key. The result contains it. The old key, and the access tokens that were
 * issued for it, end after the grace period.
 *
 * @param input `name` of the app and, optionally, `grace`, the grace period in seconds, 0 to 7 days; the default is 0
 * @throws INVALID_ARGUMENT with a violation for every invalid field
 */
export async function rotateAnyAppKey(admin: AdminContext, input: UntrustedInput): Promise<App> {
  const { name, grace = 0 } = parseFields(input, VALIDATORS);
  const app = await admin.database.transaction(async (transaction) => {
    const row = await findAppByName(transaction, name);
    if (row === undefined) return undefined;
    const record = (act: Act) => recordOperatorAct(transaction, admin, row.account_id, act);
    return changeAppKey(transaction, admin, row.account_id, row.id, grace, record);
  });
  return requireRow(app, 'name', 'app');
}
