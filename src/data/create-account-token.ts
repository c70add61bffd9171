import { invalidFields } from '../model/api-error.ts';
import { optional, parseFields, resourceNameValidator } from '../model/fields.ts';
import { idOf } from '../model/resource-name.ts';
import { findProjects } from '../storage/projects.ts';
import { recordOperatorAct } from './audit.ts';
import type { UntrustedInput } from './data-layer.ts';
import type { AdminContext } from './dependencies.ts';
import { type IssuedToken, issueToken } from './issue-token.ts';
import { requireAccount } from './require-account.ts';

const VALIDATORS = {
  account: resourceNameValidator('accounts'),
  project: optional(resourceNameValidator('projects')),
};

/**
 * Creates an account token.
 *
 * @param input `account` and, optionally, `project`, the default project of new apps
 * @param ttlSeconds the lifetime of the token, in seconds
 * @throws INVALID_ARGUMENT with a violation for every invalid field
 */
export async function createAccountToken(
  admin: AdminContext,
  input: UntrustedInput,
  ttlSeconds: number,
): Promise<IssuedToken> {
  const { account, project } = parseFields(input, VALIDATORS);
  const { database } = admin;

  const { id: accountId, default_project_id } = await requireAccount(database, account);
  if (project && (await findProjects(database, accountId, [idOf(project)])).length === 0) {
    throw invalidFields([{ field: 'project', description: 'Must be a project of the account.' }]);
  }
  const defaultProjectId = project ? idOf(project) : default_project_id;
  const principal = { level: 'account', accountId, defaultProjectId } as const;
  return database.transaction(async (transaction) => {
    const token = await issueToken(transaction, admin, accountId, principal, ttlSeconds * 1000, '');
    await recordOperatorAct(transaction, admin, accountId, {
      action: 'token.create',
      resource: account,
      tokenId: token.id,
    });
    return token;
  });
}
