import type { App } from '../../model/app.ts';
import { parseFields } from '../../model/fields/fields.ts';
import { deleteAppFields } from '../../model/fields/operation-fields.ts';
import { idOf } from '../../model/resource-name.ts';
import { deleteApp as deleteAppRow, findAccountOfApp } from '../../storage/apps.ts';
import { revokeTokensOfApp } from '../../storage/tokens.ts';
import { accountOf } from '../access/account-of.ts';
import { type Actor, assertAppVisible, missing, requireAccountToken } from '../access/actor.ts';
import { recordAct } from '../audit/audit.ts';
import type { UntrustedInput } from '../data-layer.ts';
import type { AdminContext } from '../operation/dependencies.ts';
import { appFromRow } from '../rows/from-row.ts';

/** See `Changes.deleteApp`. The operator can delete an app of any account. Returns its last state. */
export async function deleteApp(
  dependencies: Pick<AdminContext, 'database' | 'clock' | 'newId'>,
  actor: Actor,
  input: UntrustedInput,
): Promise<App> {
  requireAccountToken(actor);
  const { name } = parseFields(input, deleteAppFields);
  const { database, clock } = dependencies;
  const id = idOf(name);

  return database.transaction(async (transaction) => {
    const accountId = await accountOf(transaction, actor, name, findAccountOfApp);
    await assertAppVisible(transaction, actor, accountId, name);
    // First, because it waits for sign-ins that hold the lock of the app and are storing a token.
    const row = await deleteAppRow(transaction, accountId, id);
    if (row === undefined) throw missing(actor, name);
    await revokeTokensOfApp(transaction, accountId, id, clock());
    await recordAct(transaction, dependencies, actor, { accountId, action: 'app.delete', resource: name });
    return appFromRow(row, clock());
  });
}
