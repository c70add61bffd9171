import type { App } from '../model/app.ts';
import { optional, parseFields, resourceNameValidator, title } from '../model/fields.ts';
import { findAppByName } from '../storage/apps.ts';
import { type Act, recordOperatorAct } from './audit.ts';
import { changeApp } from './change-app.ts';
import type { UntrustedInput } from './data-layer.ts';
import type { AdminContext } from './dependencies.ts';
import { requireRow } from './require-row.ts';

const VALIDATORS = { name: resourceNameValidator('apps'), title: optional(title) };

/**
 * Updates an app of any account. Omitted fields are not changed.
 *
 * @param input `name` and, optionally, `title`
 * @throws INVALID_ARGUMENT with a violation for every invalid field
 */
export async function updateAnyApp(admin: AdminContext, input: UntrustedInput): Promise<App> {
  const { name, title } = parseFields(input, VALIDATORS);
  const app = await admin.database.transaction(async (transaction) => {
    const row = await findAppByName(transaction, name);
    if (row === undefined) return undefined;
    const record = (act: Act) => recordOperatorAct(transaction, admin, row.account_id, act);
    return changeApp(transaction, admin, row.account_id, row.id, { title }, record);
  });
  return requireRow(app, 'name', 'app');
}
