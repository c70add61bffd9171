import type { AuditAction, AuditEvent } from '../model/audit-event.ts';
import { auditAction, optional, parseFields, resourceNameValidator, time } from '../model/fields.ts';
import type { ConnectionPage } from '../model/page.ts';
import { idOf, type Ulid, ulidTime } from '../model/resource-name.ts';
import { ALL_EVENTS, type AuditEventRow, EVENTS, EVENTS_OF_ACTION } from '../storage/audit-events.ts';
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
 * @param input the arguments of a connection and, optionally, `action`, and for the operator `account`, `since`, `until`
 *   and `resource`
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
  // Those of an account have an index by action. Only the operator can search for the others.
  const isWanted = (row: AuditEventRow) =>
    row.action === (action ?? row.action) && row.resource === (resource ?? row.resource);
  const isSearched = resource !== undefined || (accountId === undefined && action !== undefined);
  const source = {
    ...listOf(accountId, action),
    range: [since === undefined ? '' : ulidTime(since), until === undefined ? 'Z' : ulidTime(until)] as const,
    isWanted: isSearched ? isWanted : undefined,
    toItem: auditEventFromRow,
  };
  return readList(dependencies, source, input);
}

function listOf(accountId: Ulid | undefined, action: AuditAction | undefined) {
  if (accountId === undefined) return { list: ALL_EVENTS, values: [] };
  if (action === undefined) return { list: EVENTS, values: [accountId] };
  return { list: EVENTS_OF_ACTION, values: [accountId, action] };
}
