import { createCredential, hashCredential } from '../../credentials/credential.ts';
import { invalidFields, unusableResource } from '../../model/errors.ts';
import {
  boolean,
  optional,
  parseFields,
  resourceNameValidator,
  tokenTitle,
} from '../../model/fields/fields.ts';
import { idOf, type Ulid } from '../../model/resource-name.ts';
import { write } from '../../storage/port/change.ts';
import { isForeignKeyViolation } from '../../storage/port/foreign-keys.ts';
import { newTokenChange } from '../../storage/tokens.ts';
import { requireAccount } from '../access/account-of.ts';
import { recordAct } from '../audit/audit.ts';
import type { AdminContext } from '../operation/dependencies.ts';
import type { UntrustedInput } from '../operation/operation.ts';

const VALIDATORS = {
  account: resourceNameValidator('accounts'),
  project: optional(resourceNameValidator('projects')),
  onlyProject: optional(resourceNameValidator('projects')),
  readOnly: optional(boolean),
  title: optional(tokenTitle),
};

export type IssuedToken = {
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
  const created = admin.database.transaction(async (transaction) => {
    const { id: accountId, default_project_id } = await requireAccount(transaction, account);
    const named = project ?? onlyProject;
    const id = admin.newId();
    const accessToken = createCredential('acct', accountId, id);
    const expireTimeMs = admin.clock() + ttlSeconds * 1000;
    const token = newTokenChange({
      account_id: accountId,
      id,
      project_id: named === undefined ? default_project_id : idOf(named),
      app_id: null,
      app_key_id: null,
      hash: hashCredential(accessToken),
      title,
      is_one_project: onlyProject === undefined ? 0 : 1,
      is_read_only: readOnly ? 1 : 0,
      expire_time_ms: expireTimeMs,
    });
    await write(transaction, token);
    const act = { action: 'token.create', resource: account, tokenId: id } as const;
    await recordAct(transaction, admin, 'operator', { accountId, ...act });
    return { id, accessToken, expireTimeMs };
  });
  return created.catch((error) => {
    if (!isForeignKeyViolation(error)) throw error;
    throw unusableResource(
      onlyProject === undefined ? 'project' : 'onlyProject',
      'Must be a project of the account.',
    );
  });
}
