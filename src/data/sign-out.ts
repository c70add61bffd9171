import type { Principal } from '../model/principal.ts';
import { resourceName } from '../model/resource-name.ts';
import { audited } from '../storage/audit-events.ts';
import { revokeToken } from '../storage/tokens.ts';
import { auditEvent } from './audit.ts';
import type { Client } from './data-layer.ts';
import type { Dependencies } from './dependencies.ts';

/** See `DataLayer.signOut`. It succeeds if the token has ended since the authentication. Source: RFC 7009. */
export async function signOut(
  dependencies: Pick<Dependencies, 'database' | 'clock' | 'newId'>,
  principal: Principal,
  client: Client,
): Promise<void> {
  const { accountId, credentialId } = principal;
  const resource =
    principal.level === 'account'
      ? resourceName('accounts', accountId)
      : resourceName('projects', principal.projectId);
  const act = { accountId, action: 'sign_out', resource, tokenId: credentialId } as const;
  const event = auditEvent(dependencies, { principal, client }, act);
  const { database, clock } = dependencies;
  await revokeToken(audited(database, event), accountId, credentialId, clock());
}
