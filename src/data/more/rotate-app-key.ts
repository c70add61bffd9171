import { createCredential, hashCredential } from '../../credentials/credential.ts';
import type { App } from '../../model/app.ts';
import { parseFields } from '../../model/fields/fields.ts';
import { rotateAppKeyFields } from '../../model/fields/operation-fields.ts';
import { idOf } from '../../model/resource-name.ts';
import { findAccountOfApp, replaceAppKey } from '../../storage/apps.ts';
import { endTokensWithKey, revokeTokensOfApp } from '../../storage/tokens.ts';
import { accountOf } from '../access/account-of.ts';
import { type Actor, assertAppVisible, missing, requireAccountToken } from '../access/actor.ts';
import { recordAct } from '../audit/audit.ts';
import type { UntrustedInput } from '../data-layer.ts';
import type { AdminContext } from '../operation/dependencies.ts';
import { appFromRow } from '../rows/from-row.ts';

/** See `Changes.rotateAppKey`. The operator can rotate the key of an app of any account. */
export async function rotateAppKey(
  dependencies: Pick<AdminContext, 'database' | 'clock' | 'newId'>,
  actor: Actor,
  input: UntrustedInput,
): Promise<App> {
  requireAccountToken(actor);
  const { name, gracePeriod = 0 } = parseFields(input, rotateAppKeyFields);
  const { database, clock, newId } = dependencies;
  const id = idOf(name);
  const keyId = newId();
  // Without a grace period, the end does not depend on the clocks of other instances.
  const endMs = gracePeriod === 0 ? 0 : clock() + gracePeriod * 1000;

  return database.transaction(async (transaction) => {
    const accountId = await accountOf(transaction, actor, name, findAccountOfApp);
    await assertAppVisible(transaction, actor, accountId, name);
    const privateKey = createCredential('key', accountId, keyId);
    const key = { private_key_id: keyId, private_key_hash: hashCredential(privateKey), revision: newId() };
    // First, because it waits for sign-ins that hold the lock of the app and are storing a token.
    const row = await replaceAppKey(transaction, { accountId, id }, key, endMs);
    if (row === undefined) throw missing(actor, name);
    if (gracePeriod === 0) await revokeTokensOfApp(transaction, accountId, id, clock());
    else await endTokensWithKey(transaction, { accountId, id }, row.previous_key_id, endMs);
    await recordAct(transaction, dependencies, actor, {
      accountId,
      action: 'app.rotate_key',
      resource: name,
    });
    return appFromRow(row, clock(), privateKey);
  });
}
