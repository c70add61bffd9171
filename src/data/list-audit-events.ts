import type { AuditEvent } from '../model/audit-event.ts';
import { auditAction, optional, parseFields, resourceNameValidator, time } from '../model/fields.ts';
import { firstUlid, idOf, type Ulid } from '../model/resource-name.ts';
import { type AuditEventRow, listNewestAuditEvents } from '../storage/audit-events.ts';
import type { ReadAfter } from '../storage/list.ts';
import type { UntrustedInput } from './data-layer.ts';
import type { AdminContext } from './dependencies.ts';
import { auditEventFromRow } from './from-row.ts';
import { type ListPage, readListPage, readWholeList } from './read-list-page.ts';

const VALIDATORS = {
  account: optional(resourceNameValidator('accounts')),
  since: optional(time),
  until: optional(time),
  action: optional(auditAction),
  resource: optional(resourceNameValidator('accounts', 'projects', 'apps', 'wallets')),
};

// Greater than every ULID.
const END = '8';

/**
 * Returns one page of the audit events of an account, or of all accounts, the newest first. The account may have been
 * deleted.
 *
 * @param input `page-size`, `page-token` and, optionally, `account`, `since`, `until`, `action` and `resource`
 * @throws INVALID_ARGUMENT with a violation for every invalid field
 */
export async function listAuditEvents(
  { database }: AdminContext,
  input: UntrustedInput,
): Promise<ListPage<AuditEvent>> {
  const { account, since, until, action, resource } = parseFields(input, VALIDATORS);
  const from = since === undefined ? '' : firstUlid(since);
  const end = until === undefined ? END : firstUlid(until);
  const read: ReadAfter<AuditEventRow> = (after, limit) => {
    const before = after !== '' && after < end ? after : end;
    return listNewestAuditEvents(database, account && idOf(account), { before, from }, limit);
  };
  const isWanted = (row: AuditEventRow) =>
    row.action === (action ?? row.action) && row.resource === (resource ?? row.resource);
  const hasFilter = action !== undefined || resource !== undefined;
  return readListPage(database, input, hasFilter ? filtered(read, isWanted) : read, auditEventFromRow);
}

/** Reads in batches, so that no statement searches the whole list for a rare event. */
function filtered(
  read: ReadAfter<AuditEventRow>,
  isWanted: (row: AuditEventRow) => boolean,
): ReadAfter<AuditEventRow> {
  return async (after: Ulid | '', limit) => {
    const rows: AuditEventRow[] = [];
    for await (const row of readWholeList(read, after)) {
      if (isWanted(row)) rows.push(row);
      if (rows.length === limit) break;
    }
    return rows;
  };
}
