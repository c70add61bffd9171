import { hash } from 'node:crypto';
import { decodeTime } from 'ulid';
import type { AuditAction } from '../model/audit-event.ts';
import type { Principal } from '../model/principal.ts';
import { type ResourceName, type Ulid, ulidFromBytes } from '../model/resource-name.ts';
import { type AuditEventRow, insertAuditEvent } from '../storage/audit-events.ts';
import type { Queryable } from '../storage/database.ts';
import type { Client } from './data-layer.ts';
import type { Dependencies } from './dependencies.ts';

/** An act to record. */
export type Act = {
  readonly action: AuditAction;
  readonly resource: ResourceName;
  /** The names of the fields that an update has set. */
  readonly fields?: readonly string[];
  /** The public id of the token that was issued or revoked. */
  readonly tokenId?: Ulid;
  /** The number of revoked tokens, if it is not 1. */
  readonly count?: number;
};

type Ids = Pick<Dependencies, 'newId'>;

const MINUTE_MS = 60_000;

/**
 * The events that count equal acts of a minute. The value is the millisecond of the minute that is their time, so that
 * those of one kind in one minute have a range of ids for themselves.
 */
const COUNTED = { signIns: 0, updates: 1 } as const;

/** Returns the time of the counted events of a minute: Unix time in milliseconds. @param timeMs a time in the minute */
export function countedTime(timeMs: number, kind: keyof typeof COUNTED): number {
  return timeMs - (timeMs % MINUTE_MS) + COUNTED[kind];
}

/** Returns the id of a counted event: the same for acts of the same minute and the same description. */
export function countedId(timeMs: number, kind: keyof typeof COUNTED, description: readonly string[]): Ulid {
  return ulidFromBytes(countedTime(timeMs, kind), hash('sha256', description.join(' '), 'buffer'));
}

/** Records an act of the operator, in its transaction. An update without fields is not recorded. */
export async function recordOperatorAct(
  transaction: Queryable,
  ids: Ids,
  accountId: Ulid,
  act: Act,
): Promise<void> {
  if (act.fields?.length === 0) return;
  await insertAuditEvent(transaction, operatorEvent(ids, accountId, act));
}

/** Returns the event of an act of the operator. */
export function operatorEvent({ newId }: Ids, accountId: Ulid, act: Act): AuditEventRow {
  return { ...eventOf(newId(), accountId, act), credential_id: null, address: null, request_id: null };
}

/** Records an act of a client, in its transaction. */
export async function recordClientAct(
  transaction: Queryable,
  ids: Ids,
  principal: Principal,
  client: Client,
  act: Act,
): Promise<void> {
  await insertAuditEvent(transaction, clientEvent(ids, principal, client, act));
}

/**
 * Returns the event of an act of a client. Updates of the same fields of a resource by the same credential and address in
 * the same minute have the same id, so that they are one event with their number, and with the request of the first.
 */
export function clientEvent(
  { newId }: Ids,
  { accountId, credentialId }: Pick<Principal, 'accountId' | 'credentialId'>,
  { address, requestId }: Pick<Client, 'address' | 'requestId'>,
  act: Act,
): AuditEventRow {
  const { action, resource, fields = [] } = act;
  const description = [accountId, action, resource, fields.join(), credentialId, address];
  const newEventId = newId();
  const isUpdate = action === 'wallet.update' || action === 'app.update';
  const id = isUpdate ? countedId(decodeTime(newEventId), 'updates', description) : newEventId;
  return {
    ...eventOf(id, accountId, act),
    credential_id: credentialId,
    address,
    request_id: requestId,
  };
}

/** Returns the names of the fields that have a value. */
export function fieldsIn(changes: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(changes).filter((field) => changes[field] !== undefined);
}

function eventOf(id: Ulid, accountId: Ulid, { action, resource, fields, tokenId, count }: Act) {
  return {
    account_id: accountId,
    id,
    action,
    resource,
    token_id: tokenId ?? null,
    fields: fields?.join() ?? '',
    event_count: count ?? 1,
  };
}
