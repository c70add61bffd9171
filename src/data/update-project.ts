import { description, optional, parseFields, resourceNameValidator, title } from '../model/fields.ts';
import type { Project } from '../model/project.ts';
import { updateProject as updateProjectRow } from '../storage/projects.ts';
import { fieldsIn } from './audit.ts';
import { changeResource } from './change-resource.ts';
import type { UntrustedInput } from './data-layer.ts';
import type { AdminContext } from './dependencies.ts';
import { projectFromRow } from './from-row.ts';

const VALIDATORS = {
  name: resourceNameValidator('projects'),
  title: optional(title),
  description: optional(description),
};

/** Updates a project. Omitted fields are not changed. */
export async function updateProject(admin: AdminContext, input: UntrustedInput): Promise<Project> {
  const { name, ...changes } = parseFields(input, VALIDATORS);
  const act = { action: 'project.update', resource: name, fields: fieldsIn(changes) } as const;
  const row = await changeResource(admin, act, (transaction) => updateProjectRow(transaction, name, changes));
  return projectFromRow(row, admin.publicUrl());
}
