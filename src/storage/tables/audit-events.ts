import type { AuditAction } from '../../model/audit-event.ts';
import type { Ulid } from '../../model/resource-name.ts';
import type { Change, ConditionalSql, Queryable } from '../interface/database.ts';
import { AUDIT_EVENT_COLUMNS, columnNames, prefixedId, type RowOf, valuesOf } from '../sql/columns.ts';
import { KeysetList } from '../sql/keyset-list.ts';
import { insertedRow } from '../work/change.ts';

/** A row of the table `audit_event`. `fields` are names of fields, with commas between them. */
export type AuditEventRow = Omit<RowOf<typeof AUDIT_EVENT_COLUMNS>, 'address'> & {
  readonly address: string | null;
};

const NAMES = columnNames(AUDIT_EVENT_COLUMNS);

// The first of equal acts of a minute gives the event its id. Requests can come to the database in another order.
const ON_CONFLICT = `ON CONFLICT (account_id, count_key) DO UPDATE SET
  event_count = audit_event.event_count + excluded.event_count,
  last_time_ms = CASE WHEN excluded.last_time_ms > audit_event.last_time_ms
    THEN excluded.last_time_ms ELSE audit_event.last_time_ms END`;

const INSERT: ConditionalSql = (values, condition) =>
  `INSERT INTO audit_event (${AUDIT_EVENT_COLUMNS}) ${insertedRow(values, condition)} ${ON_CONFLICT}`;

const TABLE = { name: 'audit_event', columns: AUDIT_EVENT_COLUMNS } as const;

export const EVENT_LIST = new KeysetList<AuditEventRow>(TABLE, {
  where: ['account_id ='],
  newestFirst: true,
});

/** The audit events of an account with one action, the newest first. Their index is `audit_event_by_action`. */
export const EVENT_LIST_OF_ACTION = new KeysetList<AuditEventRow>(TABLE, {
  where: ['account_id =', 'action ='],
  newestFirst: true,
  prefix: 'act/',
});

const OF_RESOURCE = { newestFirst: true, prefix: 'of/' } as const;

/** The audit events of an account on one resource, the newest first. Their index is `audit_event_by_resource`. */
export const EVENT_LIST_OF_RESOURCE = new KeysetList<AuditEventRow>(TABLE, {
  where: ['account_id =', 'resource ='],
  ...OF_RESOURCE,
});

/** Those of them with one action. The index has the action as well. */
export const EVENT_LIST_OF_RESOURCE_AND_ACTION = new KeysetList<AuditEventRow>(TABLE, {
  where: ['account_id =', 'resource =', 'action ='],
  ...OF_RESOURCE,
});

/** The audit events of all accounts, the newest first. Their index is `audit_event_by_name`. */
export const EVENT_LIST_OF_ALL = new KeysetList<AuditEventRow>(TABLE, {
  where: [],
  newestFirst: true,
  prefix: 'events/',
});

const ACT_ID = prefixedId('act/');

// Without the order, PostgreSQL could use another index than `audit_event_by_action`.
const COUNT = `SELECT COUNT(*) AS count FROM (SELECT 1 AS one FROM audit_event
  WHERE account_id = $1 AND action = $2 AND ${ACT_ID} >= $3 ORDER BY ${ACT_ID} LIMIT $4) AS events`;

/** Returns the change that inserts an event, or adds it to an event with the same key of its count. */
export function insertEventChange(event: AuditEventRow): Change {
  return { sql: INSERT, params: valuesOf(event, NAMES) };
}

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
