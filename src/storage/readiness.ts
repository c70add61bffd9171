// Load balancers and containers probe often.
const RESULT_LIFETIME_MS = 1000;

// Each table with a column that is not in an index, and the first column of its primary key.
const TABLES = [
  ['account', 'title', 'id'],
  ['project', 'title', 'account_id'],
  ['app', 'title', 'account_id'],
  ['wallet', 'title', 'account_id'],
  ['token', 'value', 'account_id'],
  ['idempotency_key', 'answer', 'account_id'],
  ['page_token_key', 'key', 'id'],
  ['audit_event', 'action', 'account_id'],
  ['sweep', 'holder', 'id'],
] as const;

const READS = TABLES.map(
  ([table, column, key]) => `(SELECT ${column} FROM ${table} ORDER BY ${key} LIMIT 1) AS ${table}`,
);

/** Reads a row of every table, so that a missing table or a damaged file is noticed. */
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
