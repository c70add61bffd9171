// Load balancers and containers probe often.
const RESULT_LIFETIME_MS = 1000;

// The first and the last row of a table by its primary key, with a column that is not in the index.
const COLUMNS = [
  ['account', 'title', 'id'],
  ['project', 'title', 'account_id', 'id'],
  ['app', 'title', 'account_id', 'id'],
  ['wallet', 'title', 'account_id', 'id'],
  ['token', 'value', 'account_id', 'id'],
  ['idempotency_key', 'answer', 'account_id', 'principal_id', 'key_hash'],
  ['page_token_key', 'key', 'id'],
  ['audit_event', 'action', 'account_id', 'id'],
  ['sweep', 'holder', 'id'],
] as const;

const READS = COLUMNS.flatMap(([table, column, ...key]) =>
  ['', ' DESC'].map(
    (direction, index) =>
      `(SELECT ${column} FROM ${table} ORDER BY ${key.map((each) => each + direction).join(', ')} LIMIT 1) AS ${table}_${index}`,
  ),
);

/** Selects from every table, by its primary key and from the table itself, so that a damaged page is noticed. */
export const READ_TABLES = `SELECT ${READS.join(', ')}`;

/** Returns a function that runs a check at most once at a time, and remembers its result for a second. */
export function remembered<T>(check: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  let expiry = 0;
  return () => {
    if (result === undefined || performance.now() >= expiry) {
      expiry = Number.POSITIVE_INFINITY;
      result = check().finally(() => {
        expiry = performance.now() + RESULT_LIFETIME_MS;
      });
    }
    return result;
  };
}
