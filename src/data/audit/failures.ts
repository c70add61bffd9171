import { decodeTime } from 'ulid';
import { firstUlid, type ResourceName, resourceName, type Ulid } from '../../model/resource-name.ts';
import type { Queryable } from '../../storage/interface/database.ts';
import { countAuditEvents } from '../../storage/tables/audit-events.ts';
import { type AuditedCaller, minuteOf, recordAct, rememberEvent } from './audit.ts';

/**
 * A refused wallet, a failed sign-in, or one that has succeeded in a request which was then undone, so its client has no
 * token.
 */
export type FailedAct = AuditedCaller & {
  readonly action: 'sign_in.fail' | 'sign_in.undo' | 'wallet.refuse';
  readonly accountId: Ulid;
  /** The app, or undefined if the account does not have it; the project of a refused wallet. */
  readonly resource: ResourceName<'apps' | 'projects'> | undefined;
};

// Bounds the events of an account, because a client can use any number of addresses.
const MAX_EVENTS_PER_MINUTE = 100;

/**
 * Records a failure. All apps that do not exist are one. If the account has too many events of this kind in this
 * minute, it counts to an event that has neither an app nor a credential or an address.
 */
export async function recordFailure(
  database: Queryable,
  newId: () => Ulid,
  failure: FailedAct,
): Promise<void> {
  const { action, accountId, principal, client } = failure;
  const id = newId();
  const first = firstUlid(minuteOf(decodeTime(id)));
  const count = await countAuditEvents(database, { accountId, action, first }, MAX_EVENTS_PER_MINUTE);
  const isDetailed = count < MAX_EVENTS_PER_MINUTE;
  const { requestId } = client;
  const caller = isDetailed
    ? { principal, client }
    : { principal: undefined, client: { address: '', requestId } };
  const resource = (isDetailed && failure.resource) || resourceName('accounts', accountId);
  rememberEvent(await recordAct(database, { caller, newId: () => id }, { accountId, action, resource }));
}
