import type { Change, ConditionalSql, Statement, Value } from '../interface/database.ts';
import { isColumnOfFirst, renderSql, renderStatement } from '../work/change.ts';

/** The text of changes; `next` has those with one more change, by its function. */
type Texts = { sql?: string; readonly next: WeakMap<ConditionalSql, Texts> };

const TEXTS: Texts = { next: new WeakMap() };

const IF_FIRST = 'EXISTS (SELECT 1 FROM part_0)';

/**
 * Joins the changes of `Database.writeIfFirst` to one statement, where the others have the condition that the first has
 * returned a row. Source: PostgreSQL, section 7.8.4.
 */
export function asOneStatement(changes: readonly [Change, ...Change[]]): Statement {
  let texts = TEXTS;
  for (const { sql } of changes) {
    let next = texts.next.get(sql);
    if (next === undefined) {
      next = { next: new WeakMap() };
      texts.next.set(sql, next);
    }
    texts = next;
  }
  texts.sql ??= join(changes);
  const values: Value[] = [];
  for (const { params } of changes) {
    for (const param of params) if (!isColumnOfFirst(param)) values.push(param);
  }
  return { sql: texts.sql, params: values };
}

function join(changes: readonly [Change, ...Change[]]): string {
  if (changes.length === 1) return renderStatement(changes[0]).sql;
  let count = 0;
  const parts = changes.map(({ sql, params }, index) => {
    const names = params.map((param) => {
      if (isColumnOfFirst(param)) return `(SELECT ${param.column} FROM part_0)`;
      count += 1;
      return `$${count}`;
    });
    return `part_${index} AS (${renderSql(sql, names, index === 0 ? undefined : IF_FIRST)})`;
  });
  return `WITH ${parts.join(',\n')} SELECT * FROM part_0`;
}
