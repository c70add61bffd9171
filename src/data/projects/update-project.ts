import { sees } from '../../model/caller.ts';
import { ApiError } from '../../model/errors.ts';
import { etag, projectEtag } from '../../model/etag.ts';
import {
  description,
  newReference,
  optional,
  parseFields,
  resourceNameValidator,
  title,
} from '../../model/fields/fields.ts';
import type { Project } from '../../model/project.ts';
import { idOf } from '../../model/resource-name.ts';
import {
  findAccountOfProject,
  findProjectByReference,
  findProjectToUpdate,
  updateProjectRow,
} from '../../storage/tables/projects.ts';
import { findAccountId } from '../access/account-of.ts';
import { assertReferenceIsFree, notFound, rejectTakenReference } from '../access/visibility.ts';
import { fieldsIn, recordAct, rememberEvent } from '../audit/audit.ts';
import { begin, type Call, type OperatorContext, type Rules, type UntrustedInput } from '../call/call.ts';
import { projectFromRow } from '../conversions/project.ts';

const INPUT = {
  name: resourceNameValidator('projects'),
  title: optional(title),
  description: optional(description),
  reference: newReference,
  ifMatch: optional(etag),
};

updateProject.rules = { caller: 'account', changes: true, input: INPUT } as const satisfies Rules;

/**
 * Updates a project; for the operator, a project of any account. Omitted fields are not changed.
 *
 * @throws NOT_FOUND if the project does not exist or is not visible to the caller; for the operator INVALID_ARGUMENT
 * @throws ALREADY_EXISTS if another project of the account has the reference
 * @throws ABORTED if the project has another etag
 */
export async function updateProject(call: Call | OperatorContext, input: UntrustedInput): Promise<Project> {
  const dependencies = begin(call, updateProject.rules);
  const { database, newId, publicUrl } = dependencies;
  const { caller } = call;
  const { name, ifMatch, ...changes } = parseFields(input, INPUT);
  const id = idOf(name);
  if (!sees(caller, id)) throw notFound(caller, name);
  const { reference } = changes;
  const fields = fieldsIn(changes);

  const update = database.transaction(async (transaction) => {
    const accountId = await findAccountId(transaction, caller, name, findAccountOfProject);
    if (fields.length === 0 || ifMatch !== undefined || reference) {
      const current = await findProjectToUpdate(transaction, accountId, id);
      if (current === undefined) throw notFound(caller, name);
      if (ifMatch !== undefined && ifMatch !== projectEtag(current)) throw new ApiError('ETAG_MISMATCH');
      if (fields.length === 0) return { row: current };
    }
    // A violated constraint would end the transaction of several mutations.
    if (reference)
      await assertReferenceIsFree(transaction, { accountId, id }, reference, findProjectByReference);
    const updated = await updateProjectRow(transaction, accountId, id, changes);
    if (updated === undefined) throw notFound(caller, name);
    const act = { accountId, action: 'project.update', resource: name, fields } as const;
    return { row: updated, event: await recordAct(transaction, { caller, newId }, act) };
  });
  const { row, event } = await update.catch(rejectTakenReference);
  if (event !== undefined) rememberEvent(event, dependencies);
  return projectFromRow(row, publicUrl());
}
