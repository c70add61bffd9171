import { createCredential, hashCredential } from '../credentials/credential.ts';
import type { App } from '../model/app.ts';
import { resourceName, type Ulid } from '../model/resource-name.ts';
import { type AppChanges, replaceAppKey, updateApp } from '../storage/apps.ts';
import type { Queryable } from '../storage/database.ts';
import { endTokensWithKey, tokenStore } from '../storage/tokens.ts';
import type { Act } from './audit.ts';
import type { Dependencies } from './dependencies.ts';
import { appFromRow } from './from-row.ts';

// The parts of operations that the public API and the operator have in common. An app that does not exist is undefined.

/**
 * Updates an app. A deactivation revokes all its access tokens.
 *
 * @param record records an act in the transaction
 * @throws UNAVAILABLE if the database is unavailable
 */
export async function changeApp(
  transaction: Queryable,
  { clock }: Pick<Dependencies, 'clock'>,
  accountId: Ulid,
  id: Ulid,
  changes: AppChanges,
  record: (act: Act) => Promise<void>,
): Promise<App | undefined> {
  const row = await updateApp(transaction, accountId, id, changes);
  if (row === undefined) return undefined;
  // Without this, the tokens would become valid again when the app is reactivated.
  if (changes.active === false) await tokenStore(transaction, clock).revokeAll(id);
  const resource = resourceName('apps', id);
  if (changes.title !== undefined) await record({ action: 'app.update', resource, fields: ['title'] });
  if (changes.active !== undefined) {
    await record({ action: changes.active ? 'app.activate' : 'app.deactivate', resource });
  }
  return appFromRow(row);
}

/**
 * Gives an app a new private key. The key before, and the access tokens that were issued for it, end after the grace
 * period. A still earlier key ends at once, with its tokens.
 *
 * @param gracePeriodSeconds if 0, the app has no other key afterwards, and no access token
 * @param record records an act in the transaction
 * @returns the app with its new key
 * @throws UNAVAILABLE if the database is unavailable
 */
export async function changeAppKey(
  transaction: Queryable,
  { clock, newId }: Pick<Dependencies, 'clock' | 'newId'>,
  accountId: Ulid,
  id: Ulid,
  gracePeriodSeconds: number,
  record: (act: Act) => Promise<void>,
): Promise<App | undefined> {
  const keyId = newId();
  const privateKey = createCredential('key', id, keyId);
  const key = { private_key_id: keyId, private_key_hash: hashCredential(privateKey) };
  // Without a grace period, the end does not depend on the clocks of other instances.
  const endMs = gracePeriodSeconds === 0 ? 0 : clock() + gracePeriodSeconds * 1000;

  // First, because it waits for sign-ins that hold the lock of the app and are storing a token.
  const row = await replaceAppKey(transaction, accountId, id, key, endMs);
  if (row === undefined) return undefined;
  if (gracePeriodSeconds === 0) await tokenStore(transaction, clock).revokeAll(id);
  else await endTokensWithKey(transaction, id, row.previous_key_id, endMs);
  await record({ action: 'app.rotate_key', resource: resourceName('apps', id) });
  return appFromRow(row, privateKey);
}
