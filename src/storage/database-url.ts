/** Thrown if a database URL can't be used. The message is one line, without the URL, which can contain a password. */
export class DatabaseUrlError extends Error {}

const SQLITE_URL = /^sqlite:(?:\/\/)?(.+)$/;

/** Returns the file of a URL `sqlite:<path>`, or undefined for every other URL. */
export function sqlitePath(url: string): string | undefined {
  const [, path] = SQLITE_URL.exec(url) ?? [];
  return path === ':memory:' ? undefined : path;
}

/** The target of the connections to a PostgreSQL server. */
export type PostgresTarget = {
  /** For the driver. */
  readonly connectionString: string;
  /** Whether a pooler in transaction mode is between, which keeps neither session settings nor prepared statements. */
  readonly hasPooler: boolean;
};

/** The parameters of a PostgreSQL URL, and their values if not every value is allowed. */
const PARAMETERS: Readonly<Record<string, readonly string[] | undefined>> = {
  application_name: undefined,
  host: undefined,
  options: undefined,
  pgbouncer: ['true', 'false'],
  sslcert: undefined,
  sslkey: undefined,
  sslmode: ['disable', 'require', 'verify-ca', 'verify-full'],
  sslrootcert: undefined,
};

/**
 * Parses a PostgreSQL URL. An unknown parameter is an error, because the driver would ignore it: with a mistyped
 * `sslmode`, the connections would not be encrypted.
 *
 * @param url `postgres://…`. `sslmode` has the meaning of libpq, and is `disable` by default.
 * @throws DatabaseUrlError if a parameter is unknown, is repeated or has an invalid value
 */
export function parsePostgresUrl(url: string): PostgresTarget {
  const target = new URL(url);
  const parameters = target.searchParams;
  const unknown = [...new Set(parameters.keys())].filter((name) => !Object.hasOwn(PARAMETERS, name));
  if (unknown.length > 0) {
    const names = unknown.map((name) => JSON.stringify(name)).join(', ');
    throw new DatabaseUrlError(
      `DATABASE_URL has unknown parameters: ${names}. The parameters are ${Object.keys(PARAMETERS).join(', ')}.`,
    );
  }
  for (const [name, values] of Object.entries(PARAMETERS)) {
    const [value, ...others] = parameters.getAll(name);
    if (others.length > 0) throw new DatabaseUrlError(`DATABASE_URL may have the parameter ${name} once.`);
    if (value !== undefined && values?.includes(value) === false) {
      throw new DatabaseUrlError(`The parameter ${name} of DATABASE_URL must be ${values.join(' or ')}.`);
    }
  }
  const hasPooler = parameters.get('pgbouncer') === 'true';
  parameters.delete('pgbouncer');
  // Gives `sslmode=require` the meaning of libpq: encryption without verification of the certificate.
  parameters.set('uselibpqcompat', 'true');
  return { connectionString: target.href, hasPooler };
}
