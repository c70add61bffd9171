import { decodeTime } from 'ulid';
import type { AuditAction } from '../../model/audit-event.ts';
import type { Client, Principal } from '../../model/caller.ts';
import type { ResourceName, Ulid } from '../../model/resource-name.ts';
import type { Queryable } from '../../storage/interface/database.ts';
import { type AuditEventRow, insertEventChange } from '../../storage/tables/audit-events.ts';
import { write } from '../../storage/work/change.ts';
import { findEventOfAct, hashOfAct, rememberEventOfAct } from './equal-acts.ts';

export type Act = {
  readonly accountId: Ulid;
  readonly action: AuditAction;
  readonly resource: ResourceName;
  /** The names of the fields that an update has set, or the network of addresses. */
  readonly fields?: readonly string[];
  /** The public id of the token that was issued or revoked. */
  readonly tokenId?: Ulid;
  /** The number of revoked tokens or of addresses, if it is not 1. */
  readonly count?: number;
};

/** The time within which equal acts are counted. */
export const MINUTE_MS = 60_000;

/** Returns the start of the minute of a time. Both are Unix times in milliseconds. */
export function minuteOf(timeMs: number): number {
  return timeMs - (timeMs % MINUTE_MS);
}

/**
 * A caller, as far as it is recorded. An app that signs in by its key alone has no token. A client that has proved nothing has no
 * principal.
 */
export type AuditedCaller = {
  readonly principal:
    | (Pick<Principal, 'appId' | 'title'> & { readonly tokenId: Ulid | undefined })
    | undefined;
  readonly client: Pick<Client, 'address' | 'requestId'>;
};

/** Who acts, and how the event gets its id. */
type Actor = { readonly caller: AuditedCaller | 'operator'; readonly newId: () => Ulid };

/** An event to write. The event of a client has a hash, which equal acts in the same minute share. */
export type NewEvent = AuditEventRow & { readonly actHash: string | null };

/** Writes the event of an act, in its transaction. Returns the event, for `rememberEvent`. */
export async function recordAct(transaction: Queryable, actor: Actor, act: Act): Promise<NewEvent> {
  const event = auditEvent(actor, act);
  await write(transaction, insertEventChange(event));
  return event;
}

/**
 * Returns the event of an act. Equal acts of a client in the same minute and process are one event with their number: see
 * `rememberEvent`. It has the id, the token and the request of the first. The rate limits bound the number of events.
 */
export function auditEvent({ caller, newId }: Actor, act: Act): NewEvent {
  const { accountId, action, resource, tokenId = null, count = 1 } = act;
  const fields = act.fields?.join() ?? '';
  const newEventId = newId();
  const timeMs = decodeTime(newEventId);
  const acts = { fields, event_count: count, last_time_ms: timeMs };
  const principal = caller === 'operator' ? undefined : caller.principal;
  const actorTokenId = principal?.tokenId ?? null;
  const actor = {
    actor_token_id: actorTokenId,
    actor_app_id: principal?.appId ?? null,
    actor_title: principal?.title || null,
  };
  const event = { account_id: accountId, action, resource, ...actor, token_id: tokenId, ...acts };
  if (caller === 'operator')
    return { ...event, id: newEventId, address: null, request_id: null, actHash: null };
  const { address, requestId } = caller.client;
  // Each sign-in issues another token.
  const endedToken = action === 'sign_in.succeed' ? null : tokenId;
  const equal = [minuteOf(timeMs), accountId, action, resource, fields, actorTokenId, address, endedToken];
  const actHash = hashOfAct(equal.join(' '));
  const id = findEventOfAct(actHash) ?? newEventId;
  return { ...event, id, address, request_id: requestId, actHash };
}

/**
 * Makes later equal acts count to an event. It is called after the commit: otherwise, they could get the id and the time of
 * an act that failed. So equal acts that run at the same time can have several events. An act that can't be repeated, such
 * as a deletion, needs no call.
 */
export function rememberEvent(
  { actHash, id }: NewEvent,
  { afterCommit }: { readonly afterCommit?: (work: () => void) => void } = {},
): void {
  if (actHash === null) return;
  if (afterCommit === undefined) rememberEventOfAct(actHash, id);
  else afterCommit(() => rememberEventOfAct(actHash, id));
}

/** Returns the names of the fields that have a value. */
export function fieldsIn(changes: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(changes).filter((field) => changes[field] !== undefined);
}
