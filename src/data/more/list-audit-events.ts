import type { AuditAction, AuditEvent } from '../../model/audit-event.ts';
import {
  auditAction,
  nullable,
  optional,
  parseFields,
  resourceNameValidator,
  time,
} from '../../model/fields/fields.ts';
import type { ConnectionPage } from '../../model/lists/list-page.ts';
import { idOf, type ResourceName, type Ulid, ulidTime } from '../../model/resource-name.ts';
import {
  ALL_EVENTS,
  type AuditEventRow,
  EVENTS,
  EVENTS_OF_ACTION,
  EVENTS_OF_RESOURCE,
  EVENTS_OF_RESOURCE_AND_ACTION,
} from '../../storage/audit-events.ts';
import { type Reader, requireWholeAccount } from '../access/actor.ts';
import { MINUTE_MS } from '../audit/audit.ts';
import type { UntrustedInput } from '../data-layer.ts';
import { type ListDependencies, readList } from '../lists/read-list.ts';
import type { Dependencies } from '../operation/dependencies.ts';
import { auditEventFromRow } from '../rows/from-row.ts';

const VALIDATORS = {
  account: optional(resourceNameValidator('accounts')),
  since: optional(time),
  until: optional(time),
  action: nullable(auditAction),
  resource: nullable(resourceNameValidator('accounts', 'projects', 'apps', 'wallets')),
};

/**
 * Returns one page of the audit events of an account, the newest first. The operator can read those of all accounts, and
 * of an account that has been deleted.
 *
 * @param input the arguments of a connection and, optionally, `action` and `resource`, and for the operator `account`, `since`
 *   and `until`
 * @throws PERMISSION_DENIED if the token of the reader does not see its whole account
 */
export async function listAuditEvents(
  dependencies: ListDependencies,
  reader: Reader,
  input: UntrustedInput,
): Promise<ConnectionPage<AuditEvent>> {
  requireWholeAccount(reader);
  const { account, since, until, action, resource } = parseFields(input, VALIDATORS);
  const accountId = reader === 'operator' ? account && idOf(account) : reader.principal.accountId;
  // Those of an account have indexes. Only the operator can search for those of all accounts.
  const isWanted = (row: AuditEventRow) =>
    row.action === (action ?? row.action) && row.resource === (resource ?? row.resource);
  const isSearched = accountId === undefined && (resource !== undefined || action !== undefined);
  const source = {
    ...listOf(accountId, action, resource),
    range: [since === undefined ? '' : ulidTime(since), until === undefined ? 'Z' : ulidTime(until)] as const,
    isWanted: isSearched ? isWanted : undefined,
    toItem: auditEventFromRow,
  };
  return readList(dependencies, source, input);
}

// The maximum difference between the clocks of two instances.
const MAX_CLOCK_DIFFERENCE_MS = 60_000;

/**
 * Returns the time from which on events can still be added or change. Those before are in the order in which they can be
 * followed, although instances commit them in another one.
 *
 * An event counts equal acts until the end of its minute. An act is committed within the timeout of its request, or a failed
 * sign-in of a request that was undone within the same time again.
 */
export function settledTime({
  clock,
  requestTimeoutMs,
}: Pick<Dependencies, 'clock' | 'requestTimeoutMs'>): string {
  return new Date(clock() - MINUTE_MS - 2 * requestTimeoutMs - MAX_CLOCK_DIFFERENCE_MS).toISOString();
}

function listOf(
  accountId: Ulid | undefined,
  action: AuditAction | undefined,
  resource: ResourceName | undefined,
) {
  if (accountId === undefined) return { list: ALL_EVENTS, values: [] };
  if (resource !== undefined && action !== undefined) {
    return { list: EVENTS_OF_RESOURCE_AND_ACTION, values: [accountId, resource, action] };
  }
  if (resource !== undefined) return { list: EVENTS_OF_RESOURCE, values: [accountId, resource] };
  if (action !== undefined) return { list: EVENTS_OF_ACTION, values: [accountId, action] };
  return { list: EVENTS, values: [accountId] };
}
