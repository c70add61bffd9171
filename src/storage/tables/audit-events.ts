import type { AuditAction } from '../../model/audit-event.ts';
import type { ResourceName, Ulid } from '../../model/resource-name.ts';
import type { Queryable } from '../interface/database.ts';
import { KEY, prefixedId } from '../sql/columns.ts';
import { KeysetList } from '../sql/keyset-list.ts';
import { insertChange } from '../sql/row-statements.ts';

/** A row of the table `audit_event`. `fields` are names of fields, or a network, with commas between them. */
export type AuditEventRow = {
  readonly account_id: Ulid;
  readonly id: Ulid;
  readonly action: AuditAction;
  readonly resource: ResourceName;
  readonly actor_token_id: Ulid | null;
  readonly actor_app_id: Ulid | null;
  readonly actor_title: string | null;
  readonly token_id: Ulid | null;
  readonly fields: string;
  readonly address: string | null;
  readonly request_id: string | null;
  readonly event_count: number;
  readonly last_time_ms: number;
};

const AUDIT_EVENT_COLUMNS =
  'account_id, id, action, resource, actor_token_id, actor_app_id, actor_title, token_id, fields, address, request_id, event_count, last_time_ms';

export const AUDIT_EVENT_TABLE = { name: 'audit_event', columns: AUDIT_EVENT_COLUMNS, key: KEY } as const;

// The first of equal acts of a minute gives the event its id. Requests can come to the database in another order.
const ON_CONFLICT = `ON CONFLICT (account_id, id) DO UPDATE SET
  event_count = audit_event.event_count + excluded.event_count,
  last_time_ms = CASE WHEN excluded.last_time_ms > audit_event.last_time_ms
    THEN excluded.last_time_ms ELSE audit_event.last_time_ms END`;

export const EVENT_LIST = new KeysetList<AuditEventRow>(AUDIT_EVENT_TABLE, {
  where: ['account_id ='],
  newestFirst: true,
});

/** The audit events of an account with one action, the newest first. Their index is `audit_event_by_action`. */
export const EVENT_LIST_OF_ACTION = new KeysetList<AuditEventRow>(AUDIT_EVENT_TABLE, {
  where: ['account_id =', 'action ='],
  newestFirst: true,
  prefix: 'act/',
});

const OF_RESOURCE = { newestFirst: true, prefix: 'of/' } as const;

/** The audit events of an account on one resource, the newest first. Their index is `audit_event_by_resource`. */
export const EVENT_LIST_OF_RESOURCE = new KeysetList<AuditEventRow>(AUDIT_EVENT_TABLE, {
  where: ['account_id =', 'resource ='],
  ...OF_RESOURCE,
});

/** The same with one action. The index has the action as well. */
export const EVENT_LIST_OF_RESOURCE_AND_ACTION = new KeysetList<AuditEventRow>(AUDIT_EVENT_TABLE, {
  where: ['account_id =', 'resource =', 'action ='],
  ...OF_RESOURCE,
});

/** The audit events of all accounts, the newest first. Their index is `audit_event_by_name`. */
export const EVENT_LIST_OF_ALL = new KeysetList<AuditEventRow>(AUDIT_EVENT_TABLE, {
  where: [],
  newestFirst: true,
  prefix: 'events/',
});

const ACT_ID = prefixedId('act/');

// Without the order, PostgreSQL could use another index than `audit_event_by_action`.
const COUNT = `SELECT COUNT(*) AS count FROM (SELECT 1 AS one FROM audit_event
  WHERE account_id = $1 AND action = $2 AND ${ACT_ID} >= $3 ORDER BY ${ACT_ID} LIMIT $4) AS events`;

/** Returns the change that inserts an event, or adds it to the event with its id. */
export const insertEventChange = insertChange<AuditEventRow>('audit_event', AUDIT_EVENT_COLUMNS, ON_CONFLICT);

/** The events of an account with an action and with ids from `first` on. */
type CountedEvents = { readonly accountId: Ulid; readonly action: AuditAction; readonly first: Ulid };

/** Returns the number of events, but at most `limit`. */
export async function countAuditEvents(
  database: Queryable,
  { accountId, action, first }: CountedEvents,
  limit: number,
): Promise<number> {
  const [row] = await database.read<{ count: number }>(COUNT, [accountId, action, `act/${first}`, limit]);
  return row?.count ?? 0;
}
