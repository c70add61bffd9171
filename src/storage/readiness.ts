/** The time for which the result of a check is remembered: load balancers and containers probe often. */
export const READINESS_LIFETIME_MS = 1000;

// Each table with a column that is not in an index, and the first column of its primary key.
const TABLES = [
  ['account', 'title', 'id'],
  ['project', 'title', 'account_id'],
  ['app', 'title', 'account_id'],
  ['wallet', 'title', 'account_id'],
  ['token', 'value', 'account_id'],
  ['idempotency_key', 'response', 'account_id'],
  ['page_token_key', 'key', 'id'],
  ['audit_event', 'action', 'account_id'],
  ['sweep', 'id', 'id'],
] as const;

const READS = TABLES.map(
  ([table, column, key]) => `(SELECT ${column} FROM ${table} ORDER BY ${key} LIMIT 1) AS ${table}`,
);

/** Reads a row of every table, so that a missing table or a damaged file is noticed. */
export const READ_TABLES = `SELECT ${READS.join(', ')}`;
