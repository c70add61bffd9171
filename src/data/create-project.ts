import { description, optional, parseFields, resourceNameValidator, title } from '../model/fields.ts';
import type { Project } from '../model/project.ts';
import { resourceName, type Ulid } from '../model/resource-name.ts';
import type { Queryable } from '../storage/database.ts';
import { insertProject, type ProjectRow } from '../storage/projects.ts';
import { requireAccount } from './account-of.ts';
import { recordAct } from './audit.ts';
import type { UntrustedInput } from './data-layer.ts';
import type { AdminContext } from './dependencies.ts';
import { projectFromRow } from './from-row.ts';

const VALIDATORS = {
  account: resourceNameValidator('accounts'),
  title,
  description: optional(description),
};

export async function createProject(admin: AdminContext, input: UntrustedInput): Promise<Project> {
  const { account, title, description = '' } = parseFields(input, VALIDATORS);
  const { database, newId, publicUrl } = admin;

  const row = await database.transaction(async (transaction) => {
    const { id: accountId } = await requireAccount(transaction, account);
    return addProject(transaction, admin, accountId, newId(), { title, description });
  });
  return projectFromRow(row, publicUrl());
}

/** Inserts a project with the CID of its cover image, and records it, in a transaction of the caller. Returns its row. */
export async function addProject(
  transaction: Queryable,
  admin: Pick<AdminContext, 'clock' | 'newId'>,
  accountId: Ulid,
  id: Ulid,
  { title, description }: Pick<Project, 'title' | 'description'>,
): Promise<ProjectRow> {
  // Imported on demand, because no other operation needs it.
  const { coverImage, coverImageCid } = await import('../model/cover-image.ts');
  const name = resourceName('projects', id);
  const row = {
    account_id: accountId,
    id,
    title,
    description,
    image_cover_cid: coverImageCid(coverImage(name)),
    create_time_ms: admin.clock(),
  };
  await insertProject(transaction, row);
  await recordAct(transaction, admin, 'operator', { accountId, action: 'project.create', resource: name });
  return row;
}
