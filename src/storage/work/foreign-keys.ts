// Source: PostgreSQL, appendix A (foreign_key_violation).
const POSTGRES_CODE = '23503';

// Source: sqlite.org/rescode.html (SQLITE_CONSTRAINT_FOREIGNKEY).
const SQLITE_CODE = 787;

/**
 * Returns whether a statement failed because another transaction has deleted a row that it refers to, or has inserted
 * a row that refers to its row.
 */
export function isForeignKeyViolation(error: unknown): boolean {
  if (!Error.isError(error)) return false;
  return (
    ('code' in error && error.code === POSTGRES_CODE) || ('errcode' in error && error.errcode === SQLITE_CODE)
  );
}
