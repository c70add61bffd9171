// Source: PostgreSQL, appendix A (foreign_key_violation, unique_violation); sqlite.org/rescode.html (SQLITE_CONSTRAINT_FOREIGNKEY,
// SQLITE_CONSTRAINT_UNIQUE).
const FOREIGN_KEY_CODES = ['23503', 787] as const;
const UNIQUE_CODES = ['23505', 2067] as const;

/**
 * Returns whether a statement failed because another transaction has deleted a row that it refers to, or has inserted
 * a row that refers to its row.
 */
export function isForeignKeyViolation(error: unknown): boolean {
  return hasCode(error, FOREIGN_KEY_CODES);
}

/** Returns whether a statement failed because another row has a value that is unique, such as a reference. */
export function isUniqueViolation(error: unknown): boolean {
  return hasCode(error, UNIQUE_CODES);
}

function hasCode(error: unknown, [postgres, sqlite]: readonly [string, number]): boolean {
  if (!Error.isError(error)) return false;
  return ('code' in error && error.code === postgres) || ('errcode' in error && error.errcode === sqlite);
}
