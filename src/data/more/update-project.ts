import { type Caller, sees } from '../../model/caller.ts';
import { ApiError } from '../../model/errors.ts';
import { assertPreconditions, ifMatch as etags } from '../../model/etag.ts';
import {
  description,
  optional,
  parseFields,
  resourceNameValidator,
  title,
} from '../../model/fields/fields.ts';
import type { Project } from '../../model/project.ts';
import { idOf } from '../../model/resource-name.ts';
import {
  findAccountOfProject,
  findProjects,
  updateProject as updateProjectRow,
} from '../../storage/projects.ts';
import { accountOf } from '../access/account-of.ts';
import { missing } from '../access/visibility.ts';
import { fieldsIn, recordAct } from '../audit/audit.ts';
import type { AdminContext } from '../operation/dependencies.ts';
import { operation, type UntrustedInput } from '../operation/operation.ts';
import { projectFromRow } from '../rows/project.ts';

const INPUT = {
  name: resourceNameValidator('projects'),
  title: optional(title),
  description: optional(description),
  ifMatch: optional(etags),
};

/**
 * Updates a project, for the operator that of any account. Omitted fields are not changed.
 *
 * @throws NOT_FOUND if the project does not exist or is not visible to the caller; for the operator INVALID_ARGUMENT
 * @throws ABORTED if the project has none of the etags
 */
export const updateProject = operation(
  { caller: 'account', changes: true, input: INPUT },
  async (
    dependencies: AdminContext,
    caller: Caller | 'operator',
    input: UntrustedInput,
  ): Promise<Project> => {
    const { name, ifMatch, ...changes } = parseFields(input, INPUT);
    const { database, newId, publicUrl } = dependencies;
    const id = idOf(name);
    if (!sees(caller, id)) throw missing(caller, name);
    const fields = fieldsIn(changes);

    const row = await database.transaction(async (transaction) => {
      const accountId = await accountOf(transaction, caller, name, findAccountOfProject);
      const [current] = fields.length === 0 ? await findProjects(transaction, accountId, [id]) : [];
      if (current !== undefined) {
        assertPreconditions(current, { ifMatch });
        return current;
      }
      const columns = { ...changes, revision: newId() };
      const updated = await updateProjectRow(transaction, { accountId, id }, columns, ifMatch);
      if (updated === undefined) {
        const [other] = await findProjects(transaction, accountId, [id]);
        throw other === undefined ? missing(caller, name) : new ApiError('ETAG_MISMATCH');
      }
      await recordAct(transaction, dependencies, caller, {
        accountId,
        action: 'project.update',
        resource: name,
        fields,
      });
      return updated;
    });
    return projectFromRow(row, publicUrl());
  },
);
