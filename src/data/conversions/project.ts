import { coverImagePath, type Project } from '../../model/project.ts';
import { idOf, type ResourceName, resourceName, type Ulid } from '../../model/resource-name.ts';
import { titleKey } from '../../model/title-key.ts';
import type { NewProjectRow, ProjectItem } from '../../storage/tables/projects.ts';
import type { OperatorContext } from '../call/call.ts';

/** Converts a row to a project. @param publicUrl the public URL of the gateway, without a trailing slash */
export function projectFromRow(row: ProjectItem, publicUrl: string): Project {
  const name = resourceName('projects', row.id);
  return {
    id: name,
    name,
    title: row.title,
    description: row.description,
    imageCoverUrl: publicUrl + coverImagePath(name),
    imageCoverCid: row.image_cover_cid,
    reference: row.reference,
    createTimeMs: row.create_time_ms,
  };
}

/** A new project: without a name, it gets a new one. The time is in Unix milliseconds, by default the current one. */
export type NewProject = {
  readonly name?: ResourceName<'projects'> | undefined;
  readonly title: string;
  readonly description?: string | undefined;
  readonly reference?: string | undefined;
  readonly createTime?: number | undefined;
};

/** Returns a function that makes the rows of new projects of an account, for a creation and for an import. */
export async function projectRows(
  { clock, newId }: Pick<OperatorContext, 'clock' | 'newId'>,
  accountId: Ulid,
) {
  // Imported on demand: the server starts faster without it.
  const { coverImage, coverImageCid } = await import('../../model/cover-image.ts');
  return (project: NewProject): NewProjectRow => {
    const { name = resourceName('projects', newId()), title, description = '' } = project;
    return {
      account_id: accountId,
      id: idOf(name),
      title,
      title_key: titleKey(title),
      description,
      image_cover_cid: coverImageCid(coverImage(name)),
      reference: project.reference ?? null,
      create_time_ms: project.createTime ?? clock(),
    };
  };
}
