import { description, optional, parseFields, resourceNameValidator, title } from '../model/fields.ts';
import type { Project } from '../model/project.ts';
import { updateProject as updateProjectRow } from '../storage/projects.ts';
import { fieldsIn, recordAct } from './audit.ts';
import type { UntrustedInput } from './data-layer.ts';
import type { AdminContext } from './dependencies.ts';
import { projectFromRow } from './from-row.ts';
import { requireRow } from './require-row.ts';

const VALIDATORS = {
  name: resourceNameValidator('projects'),
  title: optional(title),
  description: optional(description),
};

/**
 * Updates a project. Omitted fields are not changed.
 *
 * @param input `name` and, optionally, `title` and `description`
 * @throws INVALID_ARGUMENT with a violation for every invalid field
 */
export async function updateProject(admin: AdminContext, input: UntrustedInput): Promise<Project> {
  const { name, ...changes } = parseFields(input, VALIDATORS);
  const fields = fieldsIn(changes);
  const row = await admin.database.transaction(async (transaction) => {
    const updated = requireRow(await updateProjectRow(transaction, name, changes), 'name', 'project');
    const act = { accountId: updated.account_id, action: 'project.update', resource: name, fields } as const;
    if (fields.length > 0) await recordAct(transaction, admin, 'operator', act);
    return updated;
  });
  return projectFromRow(row, admin.publicUrl());
}
