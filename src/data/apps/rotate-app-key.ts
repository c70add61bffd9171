import { createCredential, hashCredential } from '../../credentials/credential.ts';
import type { App } from '../../model/app.ts';
import { integer, nullable, parseFields, resourceNameValidator } from '../../model/fields/fields.ts';
import { idOf } from '../../model/resource-name.ts';
import { updateAppKey } from '../../storage/tables/apps.ts';
import { deleteTokensOfApp, deleteTokensOfOldKeys } from '../../storage/tables/tokens.ts';
import { accountOfApp } from '../access/account-of.ts';
import { notFound } from '../access/visibility.ts';
import { recordAct, rememberEvent } from '../audit/audit.ts';
import { begin, type Call, type OperatorContext, type Rules, type UntrustedInput } from '../call/call.ts';
import { appFromRow } from '../conversions/app.ts';

/** The grace period is in seconds, 0 to 7 days. */
const INPUT = {
  name: resourceNameValidator('apps'),
  gracePeriod: nullable(integer(0, 7 * 86_400)),
};

rotateAppKey.rules = { caller: 'account', changes: true, input: INPUT } as const satisfies Rules;

/**
 * Rotates the private key of an app; for the operator, of an app of any account. The result contains the new key. The old
 * key, and the project tokens that were issued for it, expire after the grace period. An earlier key is revoked
 * immediately, with its tokens.
 *
 * @param input `name` and, optionally, `gracePeriod`, in seconds, 0 to 7 days; the default is 0
 * @throws NOT_FOUND if the app does not exist or is not visible to the caller; for the operator INVALID_ARGUMENT
 */
export async function rotateAppKey(call: Call | OperatorContext, input: UntrustedInput): Promise<App> {
  const dependencies = begin(call, rotateAppKey.rules);
  const { database, clock, newId } = dependencies;
  const { caller } = call;
  const { name, gracePeriod = 0 } = parseFields(input, INPUT);
  const id = idOf(name);
  const keyId = newId();
  // Without a grace period, the end does not depend on the clocks of other instances.
  const endMs = gracePeriod === 0 ? 0 : clock() + gracePeriod * 1000;

  const { app, event } = await database.transaction(async (transaction) => {
    const accountId = await accountOfApp(transaction, caller, name);
    const privateKey = createCredential('key', accountId, keyId);
    const key = { private_key_id: keyId, private_key_hash: hashCredential(privateKey), revision: newId() };
    // First, because it waits for sign-ins that hold the lock of the app and are storing a token.
    const row = await updateAppKey(transaction, { accountId, id }, key, endMs);
    if (row === undefined) throw notFound(caller, name);
    if (gracePeriod === 0) await deleteTokensOfApp(transaction, accountId, id, clock());
    else await deleteTokensOfOldKeys(transaction, { accountId, id }, row.previous_key_id, endMs);
    const act = { accountId, action: 'app.rotate_key', resource: name } as const;
    const event = await recordAct(transaction, { caller, newId }, act);
    return { app: appFromRow(row, clock(), privateKey), event };
  });
  rememberEvent(event, dependencies);
  return app;
}
