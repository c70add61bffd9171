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
  readonly accountId: Ulid;
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
 * The kinds of events that count equal acts of a minute. The value is a millisecond of the minute, which is the time of
 * all events of the kind, so that their ids are a range.
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

/** Who has acted, as far as it is recorded. */
type RecordedActor =
  | 'operator'
  | {
      /** Undefined for a client without a bearer token. */
      readonly principal: Pick<Principal, 'credentialId'> | undefined;
      readonly client: Pick<Client, 'address' | 'requestId'>;
    };

/** Records an act in its transaction. */
export function recordAct(transaction: Queryable, ids: Ids, actor: RecordedActor, act: Act): Promise<void> {
  return insertAuditEvent(transaction, auditEvent(ids, actor, act));
}

/**
 * Returns the event of an act. Updates of the same fields of a resource by the same credential and address in the same
 * minute have the same id, so that they are one event with their number, and with the request of the first.
 */
export function auditEvent({ newId }: Ids, actor: RecordedActor, act: Act): AuditEventRow {
  const { accountId, action, resource, tokenId = null, count = 1 } = act;
  const fields = act.fields?.join() ?? '';
  const event = { account_id: accountId, action, resource, token_id: tokenId, fields, event_count: count };
  const id = newId();
  if (actor === 'operator') return { ...event, id, credential_id: null, address: null, request_id: null };
  const credentialId = actor.principal?.credentialId ?? null;
  const { address, requestId } = actor.client;
  const client = { credential_id: credentialId, address, request_id: requestId };
  if (action !== 'wallet.update' && action !== 'app.update') return { ...event, ...client, id };
  const description = [accountId, action, resource, fields, credentialId ?? '', address];
  return { ...event, ...client, id: countedId(decodeTime(id), 'updates', description) };
}

/** Returns the names of the fields that have a value. */
export function fieldsIn(changes: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(changes).filter((field) => changes[field] !== undefined);
}
