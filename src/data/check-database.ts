import { resourceName, type Ulid } from '../model/resource-name.ts';
import { findRowProblems } from '../storage/check-rows.ts';
import { countRows, readRows } from '../storage/table-rows.ts';
import { PROJECT_TABLE, type TableCounts } from '../storage/tables.ts';
import type { AdminContext } from './dependencies.ts';

/** The result of a check. */
export type CheckResult = {
  readonly counts: TableCounts;
  /** What is wrong, one line each. */
  readonly problems: readonly string[];
};

const MAX_COVER_PROBLEMS = 100;

/**
 * Checks the counts, the references between rows, and the CIDs of all cover images.
 *
 * @returns at most 100 problems of each kind
 * @throws UNAVAILABLE if the database is unavailable
 */
export async function checkDatabase({ database }: Pick<AdminContext, 'database'>): Promise<CheckResult> {
  // Imported on demand, because few operations need it.
  const { coverImage, coverImageCid } = await import('../model/cover-image.ts');
  const counts = await countRows(database);
  const problems = [...(await findRowProblems(database))];
  const coverProblems: string[] = [];
  for await (const rows of readRows(database, PROJECT_TABLE)) {
    for (const { id, image_cover_cid } of rows) {
      const name = resourceName('projects', id as Ulid);
      if (image_cover_cid !== coverImageCid(coverImage(name))) {
        coverProblems.push(`The CID of the cover image of ${name} is wrong.`);
      }
    }
    if (coverProblems.length >= MAX_COVER_PROBLEMS) break;
  }
  return { counts, problems: [...problems, ...coverProblems.slice(0, MAX_COVER_PROBLEMS)] };
}
