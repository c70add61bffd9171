import type { Engine } from '../storage/interface/engine.ts';
import { countRows } from '../storage/jobs/bulk-rows.ts';
import { findInvalidValues } from '../storage/jobs/row-values.ts';
import { findRowProblems } from '../storage/jobs/verify-rows.ts';
import { findSchemaProblems } from '../storage/jobs/verify-schema.ts';
import { noRows, TABLES, type TableCounts } from '../storage/tables/tables.ts';
import { allProblems, collectProblems, type Problems } from '../storage/work/problems.ts';
import { meterOf, type OnProgress } from '../storage/work/progress.ts';

/** The result of a check: the numbers of rows, and the problems. */
export type CheckResult = Problems & { readonly counts: TableCounts };

/** Checks the schema, and then the values, the counts and the references between rows. */
export async function checkDatabase(
  { database }: { readonly database: Engine },
  onProgress?: OnProgress,
): Promise<CheckResult> {
  const schemaProblems = await findSchemaProblems(database);
  // An incomplete schema can't be read any further.
  if (schemaProblems.count > 0) return { ...schemaProblems, counts: noRows() };
  const counts = await countRows(database);
  const rowProblems = await findRowProblems(database);
  const whole = TABLES.reduce((sum, { name }) => sum + counts[name], 0);
  const onRead = meterOf(onProgress, whole);
  const valueProblems = await collectProblems(findInvalidValues(database, { onRead }));
  return { ...allProblems([valueProblems, rowProblems]), counts };
}
