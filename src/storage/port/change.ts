import type { Change, ChangeSql, FirstColumn, Queryable, Row, Statement, Value } from './database.ts';

/** The condition of a change that has none. */
const ALWAYS = 'TRUE';

// By the function of a change.
const TEXTS = new WeakMap<ChangeSql, string>();

// By the functions of a change and of its check.
const CHECKED = new WeakMap<ChangeSql, WeakMap<ChangeSql, ChangeSql>>();

/** Returns the names of parameters. @param first the number of the first one */
export function placeholders(params: readonly unknown[], first: number): readonly string[] {
  return params.map((_, index) => `$${first + index}`);
}

/** Returns the row of an INSERT under a condition. Without one, it is VALUES, which Citus inserts on one node. */
export function valuesIf(values: readonly string[], condition: string): string {
  return condition === ALWAYS ? `VALUES (${values})` : `SELECT ${values} WHERE ${condition}`;
}

/** Returns a change that is made only if another one, a SELECT, would return a row. */
export function onlyIf({ sql, params }: Change, check: Change): Change {
  const known = CHECKED.get(sql) ?? new WeakMap<ChangeSql, ChangeSql>();
  CHECKED.set(sql, known);
  const checked = known.get(check.sql) ?? withCheck(sql, check.sql, params.length);
  known.set(check.sql, checked);
  return { sql: checked, params: [...params, ...check.params] };
}

function withCheck(sql: ChangeSql, check: ChangeSql, count: number): ChangeSql {
  return (names, condition) =>
    sql(names.slice(0, count), `${condition} AND EXISTS (${check(names.slice(count), ALWAYS)})`);
}

/** Returns the text of a change. @throws Error if the change leaves the condition out */
export function textOf(sql: ChangeSql, names: readonly string[], condition = ALWAYS): string {
  // Also if the condition is always true, so that a test on any engine notices it.
  if (!sql(names, 'a = b').includes('a = b')) throw new Error('The change has no place for a condition.');
  return sql(names, condition);
}

export function isFirstColumn(param: Value | FirstColumn): param is FirstColumn {
  return typeof param === 'object' && param !== null;
}

/** Returns the statement of a change that is executed alone, or after the first one of several. @param first the row of that */
export function statementOf({ sql, params }: Change, first: Row = {}): Statement {
  const text = TEXTS.get(sql) ?? textOf(sql, placeholders(params, 1));
  TEXTS.set(sql, text);
  const values = params.map((param) => (isFirstColumn(param) ? (first[param.column] ?? null) : param));
  return { sql: text, params: values };
}

/** Executes the statement of a change. See `statementOf`. */
export function write<R extends Row>(target: Queryable, change: Change, first?: Row): Promise<readonly R[]> {
  const { sql, params } = statementOf(change, first);
  return target.write<R>(sql, params);
}

/** Executes the changes of `Database.writeIfFirst` one after the other, in a transaction of the caller. */
export async function writeEach<R extends Row>(
  transaction: Queryable,
  [first, ...others]: readonly [Change, ...Change[]],
): Promise<readonly R[]> {
  const rows = await write<R>(transaction, first);
  if (rows.length > 0) for (const other of others) await write(transaction, other, rows[0]);
  return rows;
}
