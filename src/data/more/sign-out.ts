import { resourceName } from '../../model/resource-name.ts';
import { audited } from '../../storage/audit-events.ts';
import { revokeToken } from '../../storage/tokens.ts';
import type { ClientActor } from '../access/actor.ts';
import { auditEvent } from '../audit/audit.ts';
import type { Dependencies } from '../operation/dependencies.ts';

/** See `Changes.signOut`. It succeeds if the token has ended since the authentication. Source: RFC 7009. */
export async function signOut(
  dependencies: Pick<Dependencies, 'database' | 'clock' | 'newId'>,
  actor: ClientActor,
): Promise<void> {
  const { principal } = actor;
  const { accountId, tokenId } = principal;
  const resource =
    principal.level === 'account'
      ? resourceName('accounts', accountId)
      : resourceName('projects', principal.projectId);
  const act = { accountId, action: 'sign_out', resource, tokenId } as const;
  const event = auditEvent(dependencies, actor, act);
  const { database, clock } = dependencies;
  await revokeToken(audited(database, event), accountId, tokenId, clock());
}
