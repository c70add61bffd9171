import { renumbered, type Statement } from '../port/database.ts';

const IF_FIRST = 'EXISTS (SELECT 1 FROM part_0)';

// By the texts of the statements, of which there is a fixed number.
const JOINED = new Map<string, string>();

/**
 * Joins the statements of `Database.writeIfFirst` to one, in which the others have the condition that the first has returned a
 * row. Source: PostgreSQL, section 7.8.4.
 */
export function joined(statements: readonly [Statement, ...Statement[]]): Statement {
  const [first, ...others] = statements;
  if (others.length === 0) return first;
  const key = statements.map(({ sql }) => sql).join(';');
  const sql = JOINED.get(key) ?? join(statements);
  JOINED.set(key, sql);
  return { sql, params: statements.flatMap(({ params }) => params) };
}

function join(statements: readonly Statement[]): string {
  let count = 0;
  const parts = statements.map(({ sql, params }, index) => {
    const offset = count;
    count += params.length;
    const part = renumbered(index === 0 ? sql : ifFirst(sql), offset);
    return `part_${index} AS (${part})`;
  });
  return `WITH ${parts.join(',\n')} SELECT * FROM part_0`;
}

function ifFirst(sql: string): string {
  const conditional = sql.startsWith('INSERT')
    ? sql.replace(/\bVALUES \(([^()]*)\)/, `SELECT $1 WHERE ${IF_FIRST}`)
    : sql.replace(/\bWHERE\b/, `WHERE ${IF_FIRST} AND`);
  if (conditional === sql) throw new Error('The statement has no place for a condition.');
  return conditional;
}
