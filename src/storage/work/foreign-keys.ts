// Source: PostgreSQL, appendix A (foreign_key_violation, unique_violation).
const POSTGRES_FOREIGN_KEY = '23503';
const POSTGRES_UNIQUE = '23505';

// Source: sqlite.org/rescode.html (SQLITE_CONSTRAINT_FOREIGNKEY, SQLITE_CONSTRAINT_UNIQUE).
const SQLITE_FOREIGN_KEY = 787;
const SQLITE_UNIQUE = 2067;

/**
 * Returns whether a statement failed because another transaction has deleted a row that it refers to, or has inserted
 * a row that refers to its row.
 */
export function isForeignKeyViolation(error: unknown): boolean {
  return hasCode(error, POSTGRES_FOREIGN_KEY, SQLITE_FOREIGN_KEY);
}

/** Returns whether a statement failed because another row has a value that is unique, such as a reference. */
export function isUniqueViolation(error: unknown): boolean {
  return hasCode(error, POSTGRES_UNIQUE, SQLITE_UNIQUE);
}

function hasCode(error: unknown, postgres: string, sqlite: number): boolean {
  if (!Error.isError(error)) return false;
  return ('code' in error && error.code === postgres) || ('errcode' in error && error.errcode === sqlite);
}
