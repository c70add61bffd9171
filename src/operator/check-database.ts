import { resourceName } from '../model/resource-name.ts';
import type { Queryable } from '../storage/interface/database.ts';
import type { Engine } from '../storage/interface/engine.ts';
import { countRows, readRows } from '../storage/jobs/bulk-rows.ts';
import { findInvalidValues } from '../storage/jobs/row-values.ts';
import { findRowProblems } from '../storage/jobs/verify-rows.ts';
import { findSchemaProblems } from '../storage/jobs/verify-schema.ts';
import type { ProjectItem } from '../storage/tables/projects.ts';
import { PROJECT_TABLE } from '../storage/tables/projects.ts';
import { noRows, TABLES, type TableCounts } from '../storage/tables/tables.ts';
import { allProblems, MAX_DESCRIBED, type Problems, problemsOfKind } from '../storage/work/problems.ts';
import { meterOf, type OnProgress } from '../storage/work/progress.ts';

/** The result of a check: the numbers of rows, and what is wrong. */
export type CheckResult = Problems & { readonly counts: TableCounts };

/** Checks the schema, and then the values, the counts, the references between rows, and the CIDs of all cover images. */
export async function checkDatabase(
  { database }: { readonly database: Engine },
  onProgress?: OnProgress,
): Promise<CheckResult> {
  const schemaProblems = await findSchemaProblems(database);
  // An incomplete schema can't be read any further.
  if (schemaProblems.count > 0) return { ...schemaProblems, counts: noRows() };
  const counts = await countRows(database);
  const rowProblems = await findRowProblems(database);
  // Each row is read in a batch, and a project once more for its image.
  const whole = TABLES.reduce((sum, { name }) => sum + counts[name], counts.project);
  const onRead = meterOf(onProgress, whole);
  const problems = allProblems([
    await findInvalidValues(database, { onRead }),
    rowProblems,
    await findWrongImages(database, onRead),
  ]);
  return { ...problems, counts };
}

async function findWrongImages(database: Queryable, onRead: (count: number) => void): Promise<Problems> {
  // Imported on demand, because few operations need it.
  const { coverImage, coverImageCid } = await import('../model/cover-image.ts');
  const descriptions: string[] = [];
  let count = 0;
  for await (const rows of readRows(database, PROJECT_TABLE)) {
    for (const { id, image_cover_cid } of rows as readonly ProjectItem[]) {
      const name = resourceName('projects', id);
      if (image_cover_cid === coverImageCid(coverImage(name))) continue;
      count += 1;
      if (count <= MAX_DESCRIBED) descriptions.push(`The CID of the cover image of ${name} is wrong.`);
    }
    onRead(rows.length);
  }
  return problemsOfKind(descriptions, count);
}
