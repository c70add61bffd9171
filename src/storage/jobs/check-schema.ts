import type { Database } from '../database.ts';
import { migratedObjects } from '../sqlite/check.ts';
import { type Problems, problemsOfKind } from './problems.ts';

/** Returns the columns and indexes that the migrations have made, and that the database does not have any more. */
export async function findSchemaProblems(
  database: Pick<Database, 'read' | 'schemaObjects'>,
): Promise<Problems> {
  const rows = await database.read<{ name: string }>(database.schemaObjects);
  const names = new Set(rows.map(({ name }) => name));
  const missing = migratedObjects().filter((name) => !names.has(name));
  return problemsOfKind(missing.map((name) => `The ${name} is missing.`));
}
