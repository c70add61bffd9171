import type { Caller } from '../../model/caller.ts';
import { resourceName } from '../../model/resource-name.ts';
import { insertEventChange } from '../../storage/tables/audit-events.ts';
import { deleteTokenChange } from '../../storage/tables/tokens.ts';
import { auditEvent } from '../audit/audit.ts';
import { begin, type Call, type OperationDependencies, type Rules } from '../call/call.ts';

signOut.rules = { caller: 'any', changes: true, alsoAfterEnd: true, input: {} } as const satisfies Rules;

/** Revokes the caller's token. It succeeds even if the token is no longer valid. Source: RFC 7009. */
export async function signOut(call: Call): Promise<void> {
  await revokeTokenOfCaller(begin(call, signOut.rules), call.caller);
}

/** Revokes a token, even if it is read-only. */
export async function revokeTokenOfCaller(
  { database, clock, newId }: OperationDependencies,
  caller: Caller,
): Promise<void> {
  const { accountId, tokenId, appId, projectId } = caller.principal;
  const resource =
    appId === undefined ? resourceName('accounts', accountId) : resourceName('projects', projectId);
  const act = { accountId, action: 'sign_out', resource, tokenId } as const;
  const event = auditEvent({ caller, newId }, act);
  await database.writeIfFirst([deleteTokenChange(accountId, tokenId, clock()), insertEventChange(event)]);
}
