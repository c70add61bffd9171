import type {
  Change,
  ColumnOfFirst,
  ConditionalSql,
  Queryable,
  Row,
  Statement,
  Value,
} from '../interface/database.ts';

/** The condition of a change that has none. */
const ALWAYS = 'TRUE';

// By the function of a change.
const TEXTS = new WeakMap<ConditionalSql, string>();

// By the functions of a change and of its check.
const CHECKED = new WeakMap<ConditionalSql, WeakMap<ConditionalSql, ConditionalSql>>();

/** Returns the names of parameters. @param first the number of the first one */
export function placeholders(params: readonly unknown[], first: number): readonly string[] {
  return params.map((_, index) => `$${first + index}`);
}

/** Returns the row of an INSERT under a condition. Without one, it is VALUES, which Citus inserts on one node. */
export function insertedRow(values: readonly string[], condition: string): string {
  return condition === ALWAYS ? `VALUES (${values})` : `SELECT ${values} WHERE ${condition}`;
}

/** Returns a change that is applied only if `check`, a SELECT, would return a row. */
export function withCondition({ sql, params }: Change, check: Change): Change {
  let known = CHECKED.get(sql);
  if (known === undefined) {
    known = new WeakMap();
    CHECKED.set(sql, known);
  }
  let checked = known.get(check.sql);
  if (checked === undefined) {
    checked = withCheck(sql, check.sql, params.length);
    known.set(check.sql, checked);
  }
  return { sql: checked, params: [...params, ...check.params] };
}

function withCheck(sql: ConditionalSql, check: ConditionalSql, count: number): ConditionalSql {
  return (names, condition) =>
    sql(names.slice(0, count), `${condition} AND EXISTS (${check(names.slice(count), ALWAYS)})`);
}

/** Returns the text of a change. @throws Error if the change leaves a parameter or the condition out */
export function renderSql(sql: ConditionalSql, names: readonly string[], condition = ALWAYS): string {
  // Even if the condition is always true, so a test on any engine notices it.
  const text = sql(names, 'a = b');
  if (!text.includes('a = b')) throw new Error('The change has no place for a condition.');
  // `$1` is not in `$10`.
  const isIn = (name: string) => text.split(name).some((after, index) => index > 0 && !/^\d/.test(after));
  if (!names.every(isIn)) throw new Error('The change leaves a parameter out.');
  return sql(names, condition);
}

export function isColumnOfFirst(param: Value | ColumnOfFirst): param is ColumnOfFirst {
  return typeof param === 'object' && param !== null;
}

/** Returns the statement of a change that is executed alone, or after the first one of several. @param first the row of that */
export function renderStatement({ sql, params }: Change, first: Row = {}): Statement {
  let text = TEXTS.get(sql);
  if (text === undefined) {
    text = renderSql(sql, placeholders(params, 1));
    TEXTS.set(sql, text);
  }
  const values = params.map((param) => (isColumnOfFirst(param) ? (first[param.column] ?? null) : param));
  return { sql: text, params: values };
}

/** Executes the statement of a change. See `renderStatement`. */
export function write<R extends Row>(target: Queryable, change: Change, first?: Row): Promise<readonly R[]> {
  const { sql, params } = renderStatement(change, first);
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
