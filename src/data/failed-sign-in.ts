import { hash } from 'node:crypto';
import type { Principal } from '../model/principal.ts';
import {
  firstUlid,
  lastUlid,
  type ResourceName,
  resourceName,
  ulidFromBytes,
} from '../model/resource-name.ts';
import { countAuditEvents, insertAuditEvent } from '../storage/audit-events.ts';
import type { Queryable } from '../storage/database.ts';
import { clientEvent } from './audit.ts';
import type { Client } from './data-layer.ts';

/** A failed sign-in, or one that has succeeded in a request which was then undone, so that its client has no token. */
export type FailedSignIn = {
  readonly action: 'sign_in.fail' | 'sign_in.undo';
  readonly principal: Pick<Principal, 'accountId' | 'credentialId'>;
  readonly client: Pick<Client, 'address' | 'requestId'>;
  /** The app, or undefined if the account does not have it. */
  readonly app: ResourceName<'apps'> | undefined;
  /** The time of the failure: Unix time in milliseconds. */
  readonly timeMs: number;
};

const MINUTE_MS = 60_000;

// Bounds the events of an account, because a client can use any number of addresses.
const MAX_EVENTS_PER_MINUTE = 100;

/**
 * Records a failed sign-in. Failures of the same kind, minute, app and address are one event, with their number. All
 * apps that do not exist are one. If the account has too many events in this minute, the failure counts to an event that
 * has neither an app nor an address.
 */
export async function recordFailedSignIn(database: Queryable, failure: FailedSignIn): Promise<void> {
  const { action, principal, client, app, timeMs } = failure;
  const { accountId } = principal;
  // The ids of all events of failed sign-ins of a minute have the time of its first millisecond. Few other ids do.
  const minuteMs = timeMs - (timeMs % MINUTE_MS);
  const [first, last] = [firstUlid(minuteMs), lastUlid(minuteMs)];
  const count = await countAuditEvents(database, accountId, first, last, MAX_EVENTS_PER_MINUTE);
  const isDetailed = count < MAX_EVENTS_PER_MINUTE;
  const resource = (isDetailed && app) || resourceName('accounts', accountId);
  const address = isDetailed ? client.address : '';
  // A failure of the same minute, app and address has the same id, and is added to the event.
  const id = ulidFromBytes(
    minuteMs,
    hash('sha256', `${accountId} ${action} ${resource} ${address}`, 'buffer'),
  );
  await insertAuditEvent(
    database,
    clientEvent(
      { newId: () => id },
      principal,
      { address, requestId: client.requestId },
      { action, resource },
    ),
  );
}
