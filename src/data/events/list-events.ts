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
  type AuditEventRow,
  EVENT_LIST,
  EVENT_LIST_OF_ACTION,
  EVENT_LIST_OF_ALL,
  EVENT_LIST_OF_RESOURCE,
  EVENT_LIST_OF_RESOURCE_AND_ACTION,
} from '../../storage/tables/audit-events.ts';
import { MINUTE_MS } from '../audit/audit.ts';
import { begin, type Call, type OperatorContext, type Rules, type UntrustedInput } from '../call/call.ts';
import { auditEventFromRow } from '../conversions/audit-event.ts';
import { readList } from '../lists/read-list.ts';

const VALIDATORS = {
  account: optional(resourceNameValidator('accounts')),
  since: nullable(time),
  until: nullable(time),
  action: nullable(auditAction),
  resource: nullable(resourceNameValidator('accounts', 'projects', 'apps', 'wallets')),
};

listEvents.rules = { caller: 'whole account', changes: false } as const satisfies Rules;

/**
 * Returns one page of the audit events of an account, newest first. The operator can read the events of all accounts, and
 * of an account that has been deleted.
 *
 * @param input the arguments of a connection and, optionally, `action`, `resource`, `since`, `until` and `settled`, and for the
 *   operator `account`; null means omitted
 */
export async function listEvents(
  call: Call | OperatorContext,
  input: UntrustedInput,
): Promise<ConnectionPage<AuditEvent>> {
  const { database, clock, requestTimeoutMs } = begin(call, listEvents.rules);
  const { caller } = call;
  const {
    account,
    since,
    until = Number.POSITIVE_INFINITY,
    action,
    resource,
  } = parseFields(input, VALIDATORS);
  const end = Math.min(until, input['settled'] ? settledTime(clock(), requestTimeoutMs) : until);
  const accountId = caller === 'operator' ? account && idOf(account) : caller.principal.accountId;
  // There are indexes for one account. Only the operator can search all accounts.
  const isWanted = (row: AuditEventRow) =>
    row.action === (action ?? row.action) && row.resource === (resource ?? row.resource);
  const isSearched = accountId === undefined && (resource !== undefined || action !== undefined);
  const source = {
    ...listOf(accountId, action, resource),
    range: [since === undefined ? '' : ulidTime(since), Number.isFinite(end) ? ulidTime(end) : 'Z'] as const,
    isWanted: isSearched ? isWanted : undefined,
    toItem: auditEventFromRow,
  };
  return readList(database, source, input);
}

// The maximum difference between the clocks of two instances.
const MAX_CLOCK_DIFFERENCE_MS = 60_000;

/**
 * Returns the time from which on events can still be added or change, in Unix milliseconds. Those before are in the order in which they can be
 * followed, although instances commit them in another one.
 *
 * An event counts equal acts until the end of its minute. An act is committed within the timeout of its request, or a failed
 * sign-in of a request that was undone within the same time again.
 */
function settledTime(now: number, requestTimeoutMs = 0): number {
  return now - MINUTE_MS - 2 * requestTimeoutMs - MAX_CLOCK_DIFFERENCE_MS;
}

function listOf(
  accountId: Ulid | undefined,
  action: AuditAction | undefined,
  resource: ResourceName | undefined,
) {
  if (accountId === undefined) return { list: EVENT_LIST_OF_ALL, values: [] };
  if (resource !== undefined && action !== undefined) {
    return { list: EVENT_LIST_OF_RESOURCE_AND_ACTION, values: [accountId, resource, action] };
  }
  if (resource !== undefined) return { list: EVENT_LIST_OF_RESOURCE, values: [accountId, resource] };
  if (action !== undefined) return { list: EVENT_LIST_OF_ACTION, values: [accountId, action] };
  return { list: EVENT_LIST, values: [accountId] };
}
