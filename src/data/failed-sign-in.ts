import type { Principal } from '../model/principal.ts';
import { firstUlid, lastUlid, type ResourceName, resourceName, type Ulid } from '../model/resource-name.ts';
import { countAuditEvents } from '../storage/audit-events.ts';
import type { Queryable } from '../storage/database.ts';
import { countedId, countedTime, recordAct } from './audit.ts';
import type { Client } from './data-layer.ts';

/** A failed sign-in, or one that has succeeded in a request which was then undone, so that its client has no token. */
export type FailedSignIn = {
  readonly action: 'sign_in.fail' | 'sign_in.undo';
  readonly accountId: Ulid;
  /** Undefined if the request has no bearer token. */
  readonly principal: Pick<Principal, 'credentialId'> | undefined;
  readonly client: Pick<Client, 'address' | 'requestId'>;
  /** The app, or undefined if the account does not have it. */
  readonly app: ResourceName<'apps'> | undefined;
  /** The time of the failure: Unix time in milliseconds. */
  readonly timeMs: number;
};

// Bounds the events of an account, because a client can use any number of addresses.
const MAX_EVENTS_PER_MINUTE = 100;

/**
 * Records a failed sign-in. Failures of the same kind, minute, app and address are one event, with their number. All
 * apps that do not exist are one. If the account has too many events in this minute, the failure counts to an event that
 * has neither an app nor an address.
 */
export async function recordFailedSignIn(database: Queryable, failure: FailedSignIn): Promise<void> {
  const { action, accountId, principal, client, app, timeMs } = failure;
  // These events have one millisecond of the minute as their time, so their ids are a range. Few others are in it.
  const eventTimeMs = countedTime(timeMs, 'signIns');
  const [first, last] = [firstUlid(eventTimeMs), lastUlid(eventTimeMs)];
  const count = await countAuditEvents(database, accountId, first, last, MAX_EVENTS_PER_MINUTE);
  const isDetailed = count < MAX_EVENTS_PER_MINUTE;
  const resource = (isDetailed && app) || resourceName('accounts', accountId);
  const address = isDetailed ? client.address : '';
  const id = countedId(timeMs, 'signIns', [accountId, action, resource, address]);
  const actor = { principal, client: { address, requestId: client.requestId } };
  await recordAct(database, { newId: () => id }, actor, { accountId, action, resource });
}
