import { ApiError } from '../../model/errors.ts';
import { etag, projectEtag } from '../../model/etag.ts';
import { optional, parseFields, resourceNameValidator } from '../../model/fields/fields.ts';
import type { Project } from '../../model/project.ts';
import { idOf } from '../../model/resource-name.ts';
import {
  deleteProjectRow,
  findAccountOfProject,
  findProjectToUpdate,
  findProjectUse,
} from '../../storage/tables/projects.ts';
import { isForeignKeyViolation } from '../../storage/work/constraint-violations.ts';
import { findAccountId } from '../access/account-of.ts';
import { notFound } from '../access/visibility.ts';
import { recordAct } from '../audit/audit.ts';
import { begin, type Call, type OperatorContext, type Rules, type UntrustedInput } from '../call/call.ts';
import { projectFromRow } from '../conversions/project.ts';

const INPUT = { name: resourceNameValidator('projects'), ifMatch: optional(etag) };

deleteProject.rules = { caller: 'whole account', changes: true, input: INPUT } as const satisfies Rules;

/**
 * Deletes a project on which nothing depends; for the operator, a project of any account. Returns its last state.
 *
 * @throws NOT_FOUND if the project does not exist; for the operator INVALID_ARGUMENT
 * @throws ABORTED if the project has another etag
 * @throws FAILED_PRECONDITION if the project has apps or wallets, or is the default project of its account or of a valid
 *   account token
 */
export async function deleteProject(call: Call | OperatorContext, input: UntrustedInput): Promise<Project> {
  const { database, clock, newId, publicUrl } = begin(call, deleteProject.rules);
  const { caller } = call;
  const { name, ifMatch } = parseFields(input, INPUT);
  const id = idOf(name);

  const deletion = database.transaction(async (transaction) => {
    const accountId = await findAccountId(transaction, caller, name, findAccountOfProject);
    const current = await findProjectToUpdate(transaction, accountId, id);
    if (current === undefined) throw notFound(caller, name);
    if (ifMatch !== undefined && ifMatch !== projectEtag(current)) throw new ApiError('ETAG_MISMATCH');
    const now = clock();
    // A violated constraint would end the transaction of several mutations.
    const isInUse = await findProjectUse(transaction, accountId, id, now);
    if (isInUse !== undefined) throw new ApiError('PROJECT_IN_USE');
    await deleteProjectRow(transaction, accountId, id, now);
    await recordAct(transaction, { caller, newId }, { accountId, action: 'project.delete', resource: name });
    return current;
  });
  const row = await deletion.catch((error) => {
    throw isForeignKeyViolation(error) ? new ApiError('PROJECT_IN_USE') : error;
  });
  return projectFromRow(row, publicUrl());
}
