import type { AuditEvent } from '../model/audit-event.ts';
import { auditAction, optional, parseFields, resourceNameValidator, time } from '../model/fields.ts';
import type { ConnectionPage } from '../model/page.ts';
import { idOf, ulidTime } from '../model/resource-name.ts';
import { ALL_EVENTS, type AuditEventRow, EVENTS } from '../storage/audit-events.ts';
import { assertWholeAccount, type Reader } from './actor.ts';
import type { UntrustedInput } from './data-layer.ts';
import { auditEventFromRow } from './from-row.ts';
import { type ListDependencies, readList } from './read-list.ts';

const VALIDATORS = {
  account: optional(resourceNameValidator('accounts')),
  since: optional(time),
  until: optional(time),
  action: optional(auditAction),
  resource: optional(resourceNameValidator('accounts', 'projects', 'apps', 'wallets')),
};

/**
 * Returns one page of the audit events of an account, the newest first. The operator can read those of all accounts, and
 * of an account that has been deleted.
 *
 * @param input the arguments of a connection and, optionally, `since`, `until`, `action` and `resource`, and for the
 *   operator `account`
 * @throws INVALID_ARGUMENT with a violation for every invalid field
 * @throws PERMISSION_DENIED if the token of the reader does not see its whole account
 */
export async function listAuditEvents(
  dependencies: ListDependencies,
  reader: Reader,
  input: UntrustedInput,
): Promise<ConnectionPage<AuditEvent>> {
  const { account, since, until, action, resource } = parseFields(input, VALIDATORS);
  assertWholeAccount(reader);
  const accountId = reader === 'operator' ? account && idOf(account) : reader.principal.accountId;
  const isWanted = (row: AuditEventRow) =>
    row.action === (action ?? row.action) && row.resource === (resource ?? row.resource);
  const source = {
    list: accountId === undefined ? ALL_EVENTS : EVENTS,
    values: accountId === undefined ? [] : [accountId],
    range: [since === undefined ? '' : ulidTime(since), until === undefined ? 'Z' : ulidTime(until)] as const,
    isWanted: action === undefined && resource === undefined ? undefined : isWanted,
    toItem: auditEventFromRow,
  };
  return readList(dependencies, source, input);
}
