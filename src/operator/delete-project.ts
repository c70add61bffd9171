import { findAccountId } from '../data/access/account-of.ts';
import type { OperatorContext, UntrustedInput } from '../data/call/call.ts';
import { projectFromRow } from '../data/conversions/project.ts';
import { type ApiError, unusableResource } from '../model/errors.ts';
import { parseFields, resourceNameValidator } from '../model/fields/fields.ts';
import type { Project } from '../model/project.ts';
import { idOf } from '../model/resource-name.ts';
import { findAccount } from '../storage/tables/accounts.ts';
import { deleteProjectRow, findAccountOfProject } from '../storage/tables/projects.ts';
import { isForeignKeyViolation } from '../storage/work/foreign-keys.ts';
import { changeResource } from './change-resource.ts';

/**
 * Deletes a project on which nothing depends. Returns its last state.
 *
 * @param input `name` of the project
 * @throws INVALID_ARGUMENT for the field `name` if it is malformed, or if the project does not exist, has apps or
 *   wallets, or is the default project of its account or of a valid account token
 */
export async function deleteProject(operator: OperatorContext, input: UntrustedInput): Promise<Project> {
  const { name } = parseFields(input, { name: resourceNameValidator('projects') });
  const act = { action: 'project.delete', resource: name } as const;
  const deletion = changeResource(operator, act, async (transaction) => {
    const accountId = await findAccountId(transaction, 'operator', name, findAccountOfProject);
    const account = await findAccount(transaction, accountId);
    if (account?.default_project_id === idOf(name)) throw projectInUse();
    const deleted = await deleteProjectRow(transaction, accountId, idOf(name), operator.clock());
    return deleted && { ...deleted, account_id: accountId };
  });
  const row = await deletion.catch((error) => {
    throw isForeignKeyViolation(error) ? projectInUse() : error;
  });
  return projectFromRow(row, operator.publicUrl());
}

function projectInUse(): ApiError {
  const description =
    'Must be a project without apps and wallets, and not the default project of an account or an account token.';
  return unusableResource('name', description);
}
