import { hash } from 'node:crypto';
import { firstUlid, lastUlid, resourceName, type Ulid, ulidFromBytes } from '../model/resource-name.ts';
import { type AuditEventRow, countAuditEvents, insertAuditEvent } from '../storage/audit-events.ts';
import type { Database } from '../storage/database.ts';
import { addSignInFailure, type SignInAttempt, type SignInFailures } from '../storage/sign-in-failures.ts';
import { clientEvent } from './audit.ts';
import type { Client } from './data-layer.ts';

/** A failed sign-in. */
export type FailedSignIn = {
  readonly attempt: SignInAttempt;
  /** Whether the account has the app. */
  readonly appExists: boolean;
  readonly requestId: Client['requestId'];
  /** The time of the failure: Unix time in milliseconds. */
  readonly now: number;
  /**
   * The time until which the failure counts for the limit if it is the first: Unix time in milliseconds. Undefined if it
   * does not count, because the key was correct.
   */
  readonly expireTimeMs: number | undefined;
};

const MINUTE_MS = 60_000;

// Bounds the events of an account, because a client can use any number of addresses.
const MAX_EVENTS_PER_MINUTE = 100;

/**
 * Records a failed sign-in, and counts it for the limit.
 *
 * @returns the failures that count, with this one, or undefined if it does not count
 */
export async function recordFailedSignIn(
  database: Database,
  failure: FailedSignIn,
): Promise<SignInFailures | undefined> {
  const event = await eventOf(database, failure);
  const { attempt, now, expireTimeMs } = failure;
  if (expireTimeMs !== undefined) return addSignInFailure(database, attempt, now, expireTimeMs, event);
  await insertAuditEvent(database, event);
  return undefined;
}

/**
 * Returns the event of a failed sign-in. Failures have the same event if their minute, app and address are the same.
 * All apps that do not exist are one. If the account has too many events in this minute, the failure counts to an event
 * that has neither an app nor an address.
 */
async function eventOf(database: Database, failure: FailedSignIn): Promise<AuditEventRow> {
  const { attempt, appExists, requestId, now } = failure;
  const { accountId, appId, address } = attempt;
  const minuteMs = now - (now % MINUTE_MS);
  const [first, last] = [firstUlid(minuteMs), lastUlid(minuteMs)];
  const count = await countAuditEvents(database, accountId, first, last, MAX_EVENTS_PER_MINUTE);
  const isDetailed = count < MAX_EVENTS_PER_MINUTE;
  const resource =
    isDetailed && appExists ? resourceName('apps', appId) : resourceName('accounts', accountId);
  const client = { address: isDetailed ? address : '', requestId };
  const newId = (): Ulid =>
    ulidFromBytes(minuteMs, hash('sha256', `${accountId} ${resource} ${client.address}`, 'buffer'));
  return clientEvent({ newId }, attempt, client, { action: 'sign_in.fail', resource });
}
