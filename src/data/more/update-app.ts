import type { App } from '../../model/app.ts';
import { ApiError } from '../../model/errors.ts';
import { assertPreconditions } from '../../model/etag.ts';
import { parseFields } from '../../model/fields/fields.ts';
import { updateAppFields } from '../../model/fields/operation-fields.ts';
import { idOf } from '../../model/resource-name.ts';
import { findAccountOfApp, findApps, updateApp as updateAppRow } from '../../storage/apps.ts';
import { revokeTokensOfApp } from '../../storage/tokens.ts';
import { accountOf } from '../access/account-of.ts';
import { type Actor, assertAppVisible, missing, requireAccountToken } from '../access/actor.ts';
import { type Act, fieldsIn, recordAct } from '../audit/audit.ts';
import type { UntrustedInput } from '../data-layer.ts';
import type { AdminContext } from '../operation/dependencies.ts';
import { appFromRow } from '../rows/from-row.ts';

/** See `Changes.updateApp`. The operator can update an app of any account. */
export async function updateApp(
  dependencies: Pick<AdminContext, 'database' | 'clock' | 'newId'>,
  actor: Actor,
  input: UntrustedInput,
): Promise<App> {
  requireAccountToken(actor);
  const { name, ifMatch, ...changes } = parseFields(input, updateAppFields);
  const { database, clock, newId } = dependencies;
  const id = idOf(name);

  if (fieldsIn(changes).length === 0) {
    const accountId = await accountOf(database, actor, name, findAccountOfApp);
    await assertAppVisible(database, actor, accountId, name);
    const [row] = await findApps(database, accountId, [id]);
    if (row === undefined) throw missing(actor, name);
    assertPreconditions(row, { ifMatch });
    return appFromRow(row, clock());
  }
  return database.transaction(async (transaction) => {
    const accountId = await accountOf(transaction, actor, name, findAccountOfApp);
    await assertAppVisible(transaction, actor, accountId, name);
    const row = await updateAppRow(
      transaction,
      { accountId, id },
      { ...changes, revision: newId() },
      ifMatch,
    );
    if (row === undefined) {
      const [current] = await findApps(transaction, accountId, [id]);
      throw current === undefined ? missing(actor, name) : new ApiError('ETAG_MISMATCH');
    }
    // Without this, the tokens would become valid again when the app is reactivated.
    if (changes.active === false) await revokeTokensOfApp(transaction, accountId, id, clock());
    const record = (act: Pick<Act, 'action' | 'fields'>) =>
      recordAct(transaction, dependencies, actor, { ...act, accountId, resource: name });
    if (changes.title !== undefined) await record({ action: 'app.update', fields: ['title'] });
    if (changes.active !== undefined) {
      await record({ action: changes.active ? 'app.activate' : 'app.deactivate' });
    }
    return appFromRow(row, clock());
  });
}
