import type { Ulid } from '../model/resource-name.ts';
import { type Database, IF_FIRST, type Queryable, type Statement } from './database.ts';
import { placeholders } from './select-by-ids.ts';
import { AUDIT_EVENT, namesOf, type RowOf, valuesOf } from './tables.ts';

/** A row of the table `audit_event`. `fields` are names of fields, with commas between them. */
export type AuditEventRow = Omit<RowOf<typeof AUDIT_EVENT>, 'address'> & { readonly address: string | null };

const NAMES = namesOf(AUDIT_EVENT);

// Only events that count equal acts of a minute can have the id of an earlier one.
const ON_CONFLICT =
  'ON CONFLICT (account_id, id) DO UPDATE SET event_count = audit_event.event_count + excluded.event_count';

const INSERT = `INSERT INTO audit_event (${AUDIT_EVENT})
SELECT ${placeholders(NAMES, 1)} WHERE ${IF_FIRST} ${ON_CONFLICT}`;

/** The table of the lists of audit events. Their rows are `AuditEventRow`s. */
export const AUDIT_EVENT_LIST = { name: 'audit_event', columns: AUDIT_EVENT } as const;

const LIST_NEWEST = `SELECT ${AUDIT_EVENT} FROM audit_event WHERE account_id = $1 AND id < $2 AND id >= $3
ORDER BY id DESC LIMIT $4`;

// The expression must be the same as in the index `audit_event_by_name`.
const LIST_NEWEST_OF_ALL = `SELECT ${AUDIT_EVENT} FROM audit_event WHERE 'events/' || id < $1 AND 'events/' || id >= $2
ORDER BY 'events/' || id DESC LIMIT $3`;

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

/** Returns at most `limit` events with ids from `from`, but less than `before`, the newest first. @param accountId undefined for all accounts */
export function listNewestAuditEvents(
  database: Queryable,
  accountId: Ulid | undefined,
  { before, from }: { readonly before: string; readonly from: string },
  limit: number,
): Promise<readonly AuditEventRow[]> {
  return accountId === undefined
    ? database.read<AuditEventRow>(LIST_NEWEST_OF_ALL, [`events/${before}`, `events/${from}`, limit])
    : database.read<AuditEventRow>(LIST_NEWEST, [accountId, before, from, limit]);
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
