import type { App } from '../../model/app.ts';
import { ApiError } from '../../model/errors.ts';
import { assertPreconditions, ifMatch as etags } from '../../model/etag.ts';
import { boolean, optional, parseFields, resourceNameValidator, title } from '../../model/fields/fields.ts';
import { idOf } from '../../model/resource-name.ts';
import { findApps, updateAppRow } from '../../storage/tables/apps.ts';
import { deleteTokensOfApp } from '../../storage/tables/tokens.ts';
import { accountOfApp } from '../access/account-of.ts';
import { notFound } from '../access/visibility.ts';
import { type Act, fieldsIn, type NewEvent, recordAct, rememberEvent } from '../audit/audit.ts';
import { begin, type Call, type OperatorContext, type Rules, type UntrustedInput } from '../call/call.ts';
import { appFromRow } from '../conversions/app.ts';

const INPUT = {
  name: resourceNameValidator('apps'),
  title: optional(title),
  active: optional(boolean),
  ifMatch: optional(etags),
};

updateApp.rules = { caller: 'account', changes: true, input: INPUT } as const satisfies Rules;

/**
 * Updates an app; for the operator, an app of any account. Omitted fields are not changed. A deactivation revokes all
 * project tokens of the app.
 *
 * @throws NOT_FOUND if the app does not exist or is not visible to the caller; for the operator INVALID_ARGUMENT
 * @throws ABORTED if the app has none of the etags
 */
export async function updateApp(call: Call | OperatorContext, input: UntrustedInput): Promise<App> {
  const dependencies = begin(call, updateApp.rules);
  const { database, clock, newId } = dependencies;
  const { caller } = call;
  const { name, ifMatch, ...changes } = parseFields(input, INPUT);
  const id = idOf(name);

  if (fieldsIn(changes).length === 0) {
    const accountId = await accountOfApp(database, caller, name);
    const [row] = await findApps(database, accountId, [id]);
    if (row === undefined) throw notFound(caller, name);
    assertPreconditions(row, { ifMatch });
    return appFromRow(row, clock());
  }
  const { row, events } = await database.transaction(async (transaction) => {
    const accountId = await accountOfApp(transaction, caller, name);
    const active = changes.active === undefined ? undefined : changes.active ? 1 : 0;
    const columns = { ...changes, active, revision: newId() } as const;
    const row = await updateAppRow(transaction, { accountId, id }, columns, ifMatch);
    if (row === undefined) {
      const [current] = await findApps(transaction, accountId, [id]);
      throw current === undefined ? notFound(caller, name) : new ApiError('ETAG_MISMATCH');
    }
    // Without this, the tokens would become valid again when the app is reactivated.
    if (changes.active === false) await deleteTokensOfApp(transaction, accountId, id, clock());
    const events: NewEvent[] = [];
    const record = async (act: Pick<Act, 'action' | 'fields'>) =>
      events.push(await recordAct(transaction, { caller, newId }, { ...act, accountId, resource: name }));
    if (changes.title !== undefined) await record({ action: 'app.update', fields: ['title'] });
    if (changes.active !== undefined) {
      await record({ action: changes.active ? 'app.activate' : 'app.deactivate' });
    }
    return { row, events };
  });
  for (const event of events) rememberEvent(event, dependencies);
  return appFromRow(row, clock());
}
