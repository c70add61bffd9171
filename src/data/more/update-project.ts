import { parseFields } from '../../model/fields/fields.ts';
import { updateProjectFields } from '../../model/fields/operation-fields.ts';
import type { Project } from '../../model/project.ts';
import { idOf } from '../../model/resource-name.ts';
import { findAccountOfProject, updateProject as updateProjectRow } from '../../storage/projects.ts';
import { accountOf } from '../access/account-of.ts';
import { type Actor, missing, projectOf, requireAccountToken } from '../access/actor.ts';
import { fieldsIn, recordAct } from '../audit/audit.ts';
import type { UntrustedInput } from '../data-layer.ts';
import type { AdminContext } from '../operation/dependencies.ts';
import { projectFromRow } from '../rows/from-row.ts';

/** See `Changes.updateProject`. The operator can update a project of any account. */
export async function updateProject(
  dependencies: AdminContext,
  actor: Actor,
  input: UntrustedInput,
): Promise<Project> {
  requireAccountToken(actor);
  const { name, ...changes } = parseFields(input, updateProjectFields);
  const { database, publicUrl } = dependencies;
  const id = idOf(name);
  if (id !== (projectOf(actor) ?? id)) throw missing(actor, name);

  const row = await database.transaction(async (transaction) => {
    const accountId = await accountOf(transaction, actor, name, findAccountOfProject);
    const updated = await updateProjectRow(transaction, accountId, id, changes);
    if (updated === undefined) throw missing(actor, name);
    const act = { accountId, action: 'project.update', resource: name, fields: fieldsIn(changes) } as const;
    if (act.fields.length > 0) await recordAct(transaction, dependencies, actor, act);
    return updated;
  });
  return projectFromRow(row, publicUrl());
}
