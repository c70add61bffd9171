import type { Ulid } from '../model/resource-name.ts';
import { type Database, IF_FIRST, type Queryable, type Statement } from './database.ts';
import { List } from './list.ts';
import { placeholders } from './row-statements.ts';
import { AUDIT_EVENT, namesOf, type RowOf, valuesOf } from './tables.ts';

/** A row of the table `audit_event`. `fields` are names of fields, with commas between them. */
export type AuditEventRow = Omit<RowOf<typeof AUDIT_EVENT>, 'address'> & { readonly address: string | null };

const NAMES = namesOf(AUDIT_EVENT);

// Only events that count equal acts of a minute can have the id of an earlier one.
const ON_CONFLICT =
  'ON CONFLICT (account_id, id) DO UPDATE SET event_count = audit_event.event_count + excluded.event_count';

const INSERT = `INSERT INTO audit_event (${AUDIT_EVENT})
SELECT ${placeholders(NAMES, 1)} WHERE ${IF_FIRST} ${ON_CONFLICT}`;

const TABLE = { name: 'audit_event', columns: AUDIT_EVENT } as const;

/** The audit events of an account, the newest first. */
export const EVENTS = new List<AuditEventRow>(TABLE, { where: ['account_id ='], newestFirst: true });

/** The audit events of an account with one action, the newest first. Their index is `audit_event_by_action`. */
export const EVENTS_OF_ACTION = new List<AuditEventRow>(TABLE, {
  where: ['account_id =', 'action ='],
  newestFirst: true,
  prefix: 'act/',
});

/** The audit events of all accounts, the newest first. Their index is `audit_event_by_name`. */
export const ALL_EVENTS = new List<AuditEventRow>(TABLE, { where: [], newestFirst: true, prefix: 'events/' });

const COUNT = `SELECT COUNT(*) AS count FROM
  (SELECT 1 AS one FROM audit_event WHERE account_id = $1 AND id >= $2 AND id <= $3 LIMIT $4) AS events`;

/** Inserts an event, or adds its count to an event with the same id. */
export async function insertAuditEvent(database: Queryable, event: AuditEventRow): Promise<void> {
  const { sql, params } = auditStatement(event);
  await database.write(sql, params);
}

/** Returns the statement of `insertAuditEvent`, for `Database.writeAll`. */
export function auditStatement(event: AuditEventRow): Statement {
  return { sql: INSERT, params: valuesOf(event, NAMES) };
}

/**
 * Returns a target for one statement with RETURNING. The event is inserted in the transaction of the statement, if that
 * returns a row.
 */
export function audited(
  database: Pick<Database, 'writeAll'>,
  event: AuditEventRow,
): Pick<Queryable, 'write'> {
  return { write: (sql, params = []) => database.writeAll([{ sql, params }, auditStatement(event)]) };
}

/** Returns the number of events of an account with ids from `first` to `last`, but at most `limit`. */
export async function countAuditEvents(
  database: Queryable,
  accountId: Ulid,
  first: Ulid,
  last: Ulid,
  limit: number,
): Promise<number> {
  const [row] = await database.read<{ count: number }>(COUNT, [accountId, first, last, limit]);
  return row?.count ?? 0;
}
