import { invalidFields, unusableResource } from '../model/api-error.ts';
import { boolean, optional, parseFields, resourceNameValidator, tokenTitle } from '../model/fields.ts';
import { idOf, type Ulid } from '../model/resource-name.ts';
import { lockProject } from '../storage/projects.ts';
import { tokenStore } from '../storage/token-store.ts';
import { recordAct } from './audit.ts';
import type { UntrustedInput } from './data-layer.ts';
import type { AdminContext } from './dependencies.ts';
import { newToken } from './new-token.ts';
import { requireAccount } from './require.ts';

const VALIDATORS = {
  account: resourceNameValidator('accounts'),
  project: optional(resourceNameValidator('projects')),
  onlyProject: optional(resourceNameValidator('projects')),
  readOnly: optional(boolean),
  title: optional(tokenTitle),
};

/** A new account token. */
export type IssuedToken = {
  /** The public id of the token. */
  readonly id: Ulid;
  readonly accessToken: string;
  /** The expiry of the token: Unix time in milliseconds. The token can be revoked earlier. */
  readonly expireTimeMs: number;
};

/**
 * Creates an account token.
 *
 * @param input `account` and, optionally, `title`, `readOnly`, and either `project`, the default project of new apps, or
 *   `onlyProject`, the only project that the token sees
 * @param ttlSeconds the lifetime of the token, in seconds
 * @throws INVALID_ARGUMENT with a violation for every invalid field
 */
export async function createAccountToken(
  admin: AdminContext,
  input: UntrustedInput,
  ttlSeconds: number,
): Promise<IssuedToken> {
  const { account, project, onlyProject, readOnly = false, title = '' } = parseFields(input, VALIDATORS);
  if (project !== undefined && onlyProject !== undefined) {
    throw invalidFields([{ field: 'onlyProject', description: 'Must be omitted if there is a project.' }]);
  }
  const named = project ?? onlyProject;
  const ttlMs = ttlSeconds * 1000;
  return admin.database.transaction(async (transaction) => {
    const { id: accountId, default_project_id } = await requireAccount(transaction, account);
    const defaultProjectId = named ? idOf(named) : default_project_id;
    // A concurrent deletion of the project waits, and then finds the token. That of the account is never deleted.
    if (named && !(await lockProject(transaction, accountId, defaultProjectId))) {
      const field = project === undefined ? 'onlyProject' : 'project';
      throw unusableResource(field, 'Must be a project of the account.');
    }
    const now = admin.clock();
    const scope = {
      level: 'account',
      accountId,
      defaultProjectId,
      isOneProject: onlyProject !== undefined,
      isReadOnly: readOnly,
    } as const;
    const { id, accessToken, record } = newToken('acct', scope, admin.newId());
    await tokenStore(transaction, () => now, { title }).add(id, record, ttlMs);
    const act = { action: 'token.create', resource: account, tokenId: id } as const;
    await recordAct(transaction, admin, 'operator', { accountId, ...act });
    return { id, accessToken, expireTimeMs: now + ttlMs };
  });
}
