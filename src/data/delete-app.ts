import type { App } from '../model/app.ts';
import { parseFields, resourceNameValidator } from '../model/fields.ts';
import { idOf } from '../model/resource-name.ts';
import { deleteApp as deleteAppRow } from '../storage/apps.ts';
import { revokeTokensOfApp } from '../storage/tokens.ts';
import { changeResource } from './change-resource.ts';
import type { UntrustedInput } from './data-layer.ts';
import type { AdminContext } from './dependencies.ts';
import { appFromRow } from './from-row.ts';

/** Deletes an app, and revokes all its project tokens. Returns its last state. */
export async function deleteApp(admin: AdminContext, input: UntrustedInput): Promise<App> {
  const { name } = parseFields(input, { name: resourceNameValidator('apps') });
  const row = await changeResource(admin, { action: 'app.delete', resource: name }, async (transaction) => {
    // First, because it waits for sign-ins that hold the lock of the app and are storing a token.
    const deleted = await deleteAppRow(transaction, name);
    if (deleted) await revokeTokensOfApp(transaction, deleted.account_id, idOf(name), admin.clock());
    return deleted;
  });
  return appFromRow(row, admin.clock());
}
