import { existsSync } from 'node:fs';
import { DatabaseUrlError, URL_FORMS } from '../../database-url.ts';

/** The target of the connections to one or more PostgreSQL servers. */
export type PostgresTarget = {
  /** The URL of each host alone, for the driver; at least one. */
  readonly hosts: readonly string[];
  /** Whether a session must be able to write. */
  readonly isReadWrite: boolean;
  /** The maximum duration of an attempt to connect to one host, in milliseconds; undefined if it is not set. */
  readonly connectTimeoutMs: number | undefined;
  /** Options for the session, as on the command line of the server. */
  readonly options: string;
  /** Whether a pooler in transaction mode is between, which keeps no session settings. */
  readonly hasPooler: boolean;
  /** Whether statements are prepared by name. A pooler must know the names. */
  readonly isPrepared: boolean;
};

/** The parameters of a URL: the libpq variables for parameters that are not in it, and the values that are allowed. */
const PARAMETERS: Readonly<Record<string, { variable?: string; values?: readonly string[] }>> = {
  application_name: { variable: 'PGAPPNAME' },
  connect_timeout: { variable: 'PGCONNECT_TIMEOUT' },
  host: { variable: 'PGHOST' },
  options: { variable: 'PGOPTIONS' },
  pgbouncer: { values: ['true', 'prepared', 'false'] },
  port: { variable: 'PGPORT' },
  sslcert: { variable: 'PGSSLCERT' },
  sslkey: { variable: 'PGSSLKEY' },
  sslmode: { variable: 'PGSSLMODE', values: ['disable', 'require', 'verify-ca', 'verify-full'] },
  sslrootcert: { variable: 'PGSSLROOTCERT' },
  target_session_attrs: { variable: 'PGTARGETSESSIONATTRS', values: ['any', 'read-write'] },
};

const FILES = ['sslcert', 'sslkey', 'sslrootcert'];

// Other libpq variables that select or secure the connection. The driver would ignore them.
const OTHER_VARIABLES =
  /^PG(CHANNELBINDING|GSS\w+|HOSTADDR|LOADBALANCEHOSTS|PASSFILE|REQUIRE\w+|SERVICE\w*|SSL(?!(MODE|CERT|KEY|ROOTCERT)$)\w+)$/;

// The hosts are the part of a URL that `URL` does not parse.
const URL_PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)/s;

const NOT_ENCODED =
  'DATABASE_URL has a user, password, database or parameter that is not encoded: # is %23, / is %2F, ? is %3F, and @ is %40.';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Parses a PostgreSQL URL. An unknown parameter is an error, because the driver would ignore it: with a mistyped
 * `sslmode`, the connections would not be encrypted.
 *
 * @param url `postgres://<user>:<password>@<host>:<port>,…/<database>?…`, as in libpq. The default of `sslmode` is
 *   `disable`.
 * @param variables the libpq variables, which complete the URL
 * @throws DatabaseUrlError if the URL is malformed or has no user, or a parameter is unknown, repeated or has an invalid value
 */
export function parsePostgresUrl(url: string, variables: Variables = {}): PostgresTarget {
  const [, start, list = '', rest = ''] = URL_PARTS.exec(url) ?? [];
  // Behind such a character in a password, the rest of it would be taken for a database or a parameter, and could be printed.
  if (/[#@]/.test(rest)) throw new DatabaseUrlError(NOT_ENCODED);
  const target = URL.parse(`${start}host${rest}`);
  if (start === undefined || target === null) {
    throw new DatabaseUrlError(URL_FORMS);
  }
  const parameters = target.searchParams;
  completeParameters(parameters, variables, list);
  target.username ||= encodeURIComponent(variables['PGUSER'] ?? '');
  if (target.username === '') throw new DatabaseUrlError('DATABASE_URL has no user, and PGUSER is not set.');
  if (parameters.get('sslmode') === 'verify-ca' && !parameters.get('sslrootcert')) {
    throw new DatabaseUrlError(
      'sslmode=verify-ca needs sslrootcert, the file with the certificate of the CA.',
    );
  }
  target.password ||= encodeURIComponent(variables['PGPASSWORD'] ?? '');
  if (target.pathname.length <= 1) target.pathname = `/${encodeURI(variables['PGDATABASE'] ?? '')}`;

  const take = (name: string) => {
    const value = parameters.get(name);
    parameters.delete(name);
    return value;
  };
  const pooler = take('pgbouncer') ?? 'false';
  const connectTimeoutSeconds = Number(take('connect_timeout') ?? 0);
  const isReadWrite = take('target_session_attrs') === 'read-write';
  const options = take('options') ?? '';
  // Gives `sslmode=require` the meaning of libpq: encryption without verification of the certificate.
  parameters.set('uselibpqcompat', 'true');
  return {
    hosts: list.split(',').map((host) => urlOfHost(target, host)),
    isReadWrite,
    connectTimeoutMs: connectTimeoutSeconds === 0 ? undefined : connectTimeoutSeconds * 1000,
    options,
    hasPooler: pooler !== 'false',
    isPrepared: pooler !== 'true',
  };
}

/** Checks the parameters, and adds those that variables give. @param hosts the hosts of the URL */
function completeParameters(parameters: URLSearchParams, variables: Variables, hosts: string): void {
  const names = Object.keys(PARAMETERS);
  // Its name is not printed: it can be the end of a password with an & in it.
  if ([...parameters.keys()].some((name) => !names.includes(name))) {
    throw new DatabaseUrlError(
      `DATABASE_URL has an unknown parameter. The parameters are ${names.join(', ')}.`,
    );
  }
  for (const [variable, value = ''] of Object.entries(variables)) {
    if (OTHER_VARIABLES.test(variable)) throw new DatabaseUrlError(`${variable} is not supported.`);
    // The server and the driver quote the host, the user and the database in their errors.
    if (value.includes('://'))
      throw new DatabaseUrlError(`${variable} must not be a URL; DATABASE_URL is one.`);
  }
  for (const [name, { variable = '', values }] of Object.entries(PARAMETERS)) {
    const [inUrl, ...others] = parameters.getAll(name);
    if (others.length > 0) throw new DatabaseUrlError(`DATABASE_URL may have the parameter ${name} once.`);
    const isInHosts = (name === 'host' && hosts !== '') || (name === 'port' && /:\d/.test(hosts));
    const value = inUrl ?? (isInHosts ? undefined : variables[variable]);
    if (value === undefined) continue;
    const subject = inUrl === undefined ? variable : `The parameter ${name} of DATABASE_URL`;
    if (values?.includes(value) === false) {
      throw new DatabaseUrlError(`${subject} must be one of ${values.join(', ')}.`);
    }
    if (name === 'connect_timeout' && !/^\d{1,4}$/.test(value)) {
      throw new DatabaseUrlError(`${subject} must be a number of seconds from 0 to 9999.`);
    }
    if (FILES.includes(name) && !existsSync(value)) {
      throw new DatabaseUrlError(`${subject} must be a file that exists.`);
    }
    parameters.set(name, value);
  }
}

/** Returns the URL of one host. @param text the host and the port, as in the URL of all hosts */
function urlOfHost(target: URL, text: string): string {
  const host = URL.parse(`postgres://${text || 'localhost'}`);
  if (host === null || /[@/]|%(?![\da-f]{2})/i.test(text)) {
    throw new DatabaseUrlError('DATABASE_URL has an invalid host.');
  }
  return Object.assign(new URL(target), { host: host.host }).href;
}
