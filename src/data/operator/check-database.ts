import { resourceName } from '../../model/resource-name.ts';
import { countRows, readRows } from '../../storage/jobs/bulk-rows.ts';
import { findSchemaProblems } from '../../storage/jobs/check-schema.ts';
import { CHECKED_TABLES, findRowProblems } from '../../storage/jobs/consistency.ts';
import { findInvalidValues } from '../../storage/jobs/row-values.ts';
import type { Queryable } from '../../storage/port/database.ts';
import type { Engine } from '../../storage/port/engine.ts';
import { allProblems, MAX_DESCRIBED, type Problems, problemsOfKind } from '../../storage/port/problems.ts';
import { meterOf, type OnProgress } from '../../storage/port/progress.ts';
import type { ProjectItem } from '../../storage/projects.ts';
import { noRows, PROJECT_TABLE, TABLES, type TableCounts } from '../../storage/sql/columns.ts';

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
  // The rows that are read, by table.
  const read = [...CHECKED_TABLES, 'project' as const, ...TABLES.map(({ name }) => name)];
  const whole = read.reduce((sum, table) => sum + counts[table], 0);
  const onRead = meterOf(onProgress, whole);
  const problems = allProblems([
    await findInvalidValues(database, { onRead }),
    await findRowProblems(database, (table) => onRead(counts[table])),
    await findWrongImages(database, onRead),
  ]);
  return { ...problems, counts };
}

async function findWrongImages(database: Queryable, onRead: (count: number) => void): Promise<Problems> {
  // Imported on demand, because few operations need it.
  const { coverImage, coverImageCid } = await import('../../model/cover-image.ts');
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
