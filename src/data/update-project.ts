import { description, optional, parseFields, resourceNameValidator, title } from '../model/fields.ts';
import type { Project } from '../model/project.ts';
import { updateProject as updateProjectRow } from '../storage/projects.ts';
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
export async function updateProject(
  { database, publicUrl }: AdminContext,
  input: UntrustedInput,
): Promise<Project> {
  const { name, ...changes } = parseFields(input, VALIDATORS);
  const row = await updateProjectRow(database, name, changes);
  return projectFromRow(requireRow(row, 'name', 'project'), publicUrl());
}
