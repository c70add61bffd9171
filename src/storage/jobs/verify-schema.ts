import type { Engine, SchemaObject } from '../interface/engine.ts';
import { migratedObjects } from '../sqlite/verify-file.ts';
import { type Problems, problemsOfKind } from '../work/problems.ts';

/** Returns the parts of the schema that the migrations have made, and that are missing or have changed since. */
export async function findSchemaProblems(
  database: Pick<Engine, 'read' | 'schemaObjects'>,
): Promise<Problems> {
  const rows = await database.read<SchemaObject>(database.schemaObjects);
  const found = new Map(rows.map(({ name, definition }) => [name, definition]));
  const problems = migratedObjects()
    .filter(({ name, definition }) => found.get(name) !== definition)
    .map(({ name, definition }) => {
      const actual = found.get(name);
      return actual === undefined
        ? `The ${name} is missing.`
        : `The ${name} is "${actual}", not "${definition}".`;
    });
  return problemsOfKind(problems);
}
