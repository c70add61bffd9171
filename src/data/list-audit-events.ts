import type { AuditAction, AuditEvent } from '../model/audit-event.ts';
import { auditAction, optional, parseFields, resourceNameValidator, time } from '../model/fields.ts';
import { idOf, lastUlid, type Ulid } from '../model/resource-name.ts';
import {
  type AuditEventRow,
  listAllAuditEvents,
  listAuditEvents as listAuditEventRows,
} from '../storage/audit-events.ts';
import type { UntrustedInput } from './data-layer.ts';
import type { AdminContext } from './dependencies.ts';
import { auditEventFromRow } from './from-row.ts';
import { type ListPage, type ReadAfter, readListPage, readWholeList } from './read-list-page.ts';

const VALIDATORS = {
  account: optional(resourceNameValidator('accounts')),
  since: optional(time),
  action: optional(auditAction),
};

/**
 * Returns one page of the audit events of an account, or of all accounts, in the order of their time. The account may
 * have been deleted.
 *
 * @param input `page-size`, `page-token` and, optionally, `account`, `since` and `action`
 * @throws INVALID_ARGUMENT with a violation for every invalid field
 */
export async function listAuditEvents(
  { database }: AdminContext,
  input: UntrustedInput,
): Promise<ListPage<AuditEvent>> {
  const { account, since, action } = parseFields(input, VALIDATORS);
  const start = since === undefined || since <= 0 ? '' : lastUlid(since - 1);
  const read: ReadAfter<AuditEventRow> = (after, limit) => {
    const from = after > start ? after : start;
    return account === undefined
      ? listAllAuditEvents(database, from, limit)
      : listAuditEventRows(database, idOf(account), from, limit);
  };
  return readListPage(
    database,
    input,
    action === undefined ? read : withAction(read, action),
    auditEventFromRow,
  );
}

/** Reads in batches, so that no statement searches the whole list for a rare action. */
function withAction(read: ReadAfter<AuditEventRow>, action: AuditAction): ReadAfter<AuditEventRow> {
  return async (after: Ulid | '', limit) => {
    const rows: AuditEventRow[] = [];
    for await (const row of readWholeList(read, after)) {
      if (row.action === action) rows.push(row);
      if (rows.length === limit) break;
    }
    return rows;
  };
}
