import { DatabaseUrlError } from '../database-url.ts';

/** One of the hosts of a PostgreSQL URL. */
export type PostgresHost = {
  /** The host and the port, for messages. */
  readonly name: string;
  /** The URL of this host alone, for the driver. */
  readonly url: string;
};

/** Which sessions are used. Source: libpq, `target_session_attrs`. */
export type SessionAttributes = (typeof SESSION_ATTRIBUTES)[number];

/** The target of the connections to one or more PostgreSQL servers. */
export type PostgresTarget = {
  /** At least one. */
  readonly hosts: readonly PostgresHost[];
  readonly sessionAttributes: SessionAttributes;
  /** Whether each connection begins with a random host, instead of the first. */
  readonly isBalanced: boolean;
  /** The maximum duration of an attempt to connect to one host, in milliseconds; undefined if it is not set. */
  readonly connectTimeoutMs: number | undefined;
  /** Whether a server that does not encrypt is used without encryption. */
  readonly prefersEncryption: boolean;
  /** Whether a pooler in transaction mode is between, which keeps no session settings. */
  readonly hasPooler: boolean;
  /** Whether statements are prepared by name. A pooler has to know the names. */
  readonly isPrepared: boolean;
};

const SESSION_ATTRIBUTES = [
  'any',
  'read-write',
  'read-only',
  'primary',
  'standby',
  'prefer-standby',
] as const;

/** The parameters of a PostgreSQL URL, and their values if not every value is allowed. */
const PARAMETERS: Readonly<Record<string, readonly string[] | undefined>> = {
  application_name: undefined,
  connect_timeout: undefined,
  host: undefined,
  load_balance_hosts: ['disable', 'random'],
  options: undefined,
  pgbouncer: ['true', 'prepared', 'false'],
  port: undefined,
  sslcert: undefined,
  sslkey: undefined,
  sslmode: ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'],
  sslrootcert: undefined,
  target_session_attrs: SESSION_ATTRIBUTES,
};

/** The variables of libpq that give a parameter which is not in the URL. */
const VARIABLES: Readonly<Record<string, string>> = {
  PGAPPNAME: 'application_name',
  PGCONNECT_TIMEOUT: 'connect_timeout',
  PGLOADBALANCEHOSTS: 'load_balance_hosts',
  PGOPTIONS: 'options',
  PGSSLCERT: 'sslcert',
  PGSSLKEY: 'sslkey',
  PGSSLMODE: 'sslmode',
  PGSSLROOTCERT: 'sslrootcert',
  PGTARGETSESSIONATTRS: 'target_session_attrs',
};

// The hosts are the part of a URL that `URL` does not parse.
const URL_PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s;

const HOST = /^(\[[\da-f:.]+\]|[^:[\]]*)(?::(\d{1,5})?)?$/i;

const DEFAULT_HOST = 'localhost';

const DEFAULT_PORT = '5432';

const MAX_HOSTS = 16;

/**
 * Parses a PostgreSQL URL. An unknown parameter is an error, because the driver would ignore it: with a mistyped
 * `sslmode`, the connections would not be encrypted.
 *
 * @param url `postgres://<user>:<password>@<host>:<port>,…/<database>?…`, as in libpq. The default of `sslmode` is
 *   `disable`.
 * @param variables the variables of libpq, which give what is not in the URL
 * @throws DatabaseUrlError if the URL is malformed, or a parameter is unknown, repeated or has an invalid value
 */
export function parsePostgresUrl(
  url: string,
  variables: Readonly<Record<string, string | undefined>> = {},
): PostgresTarget {
  const [, start, list = '', rest] = URL_PARTS.exec(url) ?? [];
  const target = URL.parse(`${start}host${rest}`);
  if (start === undefined || target === null) {
    throw new DatabaseUrlError(
      'DATABASE_URL must be sqlite:<path> or postgres://<user>:<password>@<host>:<port>,…/<database>.',
    );
  }
  const parameters = target.searchParams;
  checkParameters(parameters);
  for (const [variable, name] of Object.entries(VARIABLES)) {
    const value = variables[variable];
    if (!value || parameters.has(name)) continue;
    parameters.set(name, value);
    checkValue(name, value, variable);
  }
  target.username ||= encodeURIComponent(variables['PGUSER'] ?? '');
  target.password ||= encodeURIComponent(variables['PGPASSWORD'] ?? '');
  if (target.pathname.length <= 1) target.pathname = `/${encodeURI(variables['PGDATABASE'] ?? '')}`;

  const hosts = hostsOf(list, parameters, variables);
  const pooler = parameters.get('pgbouncer') ?? 'false';
  const connectTimeoutSeconds = Number(parameters.get('connect_timeout') ?? 0);
  const options = {
    sessionAttributes:
      SESSION_ATTRIBUTES.find((each) => each === parameters.get('target_session_attrs')) ?? 'any',
    isBalanced: parameters.get('load_balance_hosts') === 'random',
    connectTimeoutMs: connectTimeoutSeconds === 0 ? undefined : connectTimeoutSeconds * 1000,
    prefersEncryption: parameters.get('sslmode') === 'prefer',
    hasPooler: pooler !== 'false',
    isPrepared: pooler !== 'true',
  };
  for (const name of ['target_session_attrs', 'load_balance_hosts', 'connect_timeout', 'pgbouncer']) {
    parameters.delete(name);
  }
  // Gives `sslmode=require` the meaning of libpq: encryption without verification of the certificate.
  parameters.set('uselibpqcompat', 'true');
  return {
    ...options,
    hosts: hosts.map(({ host, port }) => {
      parameters.set('host', host);
      parameters.set('port', port);
      return { name: `${host}:${port}`, url: target.href };
    }),
  };
}

function checkParameters(parameters: URLSearchParams): void {
  const unknown = [...new Set(parameters.keys())].filter((name) => !Object.hasOwn(PARAMETERS, name));
  if (unknown.length > 0) {
    const names = unknown.map((name) => JSON.stringify(name)).join(', ');
    throw new DatabaseUrlError(
      `DATABASE_URL has unknown parameters: ${names}. The parameters are ${Object.keys(PARAMETERS).join(', ')}.`,
    );
  }
  for (const name of Object.keys(PARAMETERS)) {
    const [value, ...others] = parameters.getAll(name);
    if (others.length > 0) throw new DatabaseUrlError(`DATABASE_URL may have the parameter ${name} once.`);
    if (value !== undefined) checkValue(name, value, `The parameter ${name} of DATABASE_URL`);
  }
}

/** @param subject what has the value, for the message */
function checkValue(name: string, value: string, subject: string): void {
  const values = PARAMETERS[name];
  if (values?.includes(value) === false)
    throw new DatabaseUrlError(`${subject} must be one of ${values.join(', ')}.`);
  if (name === 'connect_timeout' && !/^\d{1,4}$/.test(value)) {
    throw new DatabaseUrlError(`${subject} must be a number of seconds from 0 to 9999.`);
  }
}

/**
 * Returns the hosts with their ports.
 *
 * @param list the hosts of the URL, with commas between; those of the parameter `host` precede
 */
function hostsOf(
  list: string,
  parameters: URLSearchParams,
  variables: Readonly<Record<string, string | undefined>>,
): readonly { readonly host: string; readonly port: string }[] {
  const pairs = list.split(',').map((each) => {
    const [, host, port = ''] = HOST.exec(each) ?? [];
    if (host === undefined) throw new DatabaseUrlError('DATABASE_URL has an invalid host.');
    return { host: decodeHost(host), port };
  });
  const named = parameters.get('host') ?? (list.replace(/:\d*/, '') === '' ? variables['PGHOST'] : undefined);
  const hosts = named?.split(',') ?? pairs.map(({ host }) => host);
  const ports = (
    parameters.get('port') ??
    portsOf(pairs.map(({ port }) => port)) ??
    variables['PGPORT'] ??
    ''
  ).split(',');
  if (hosts.length > MAX_HOSTS)
    throw new DatabaseUrlError(`DATABASE_URL may have at most ${MAX_HOSTS} hosts.`);
  if (ports.length !== 1 && ports.length !== hosts.length) {
    throw new DatabaseUrlError('DATABASE_URL must have one port, or one for each host.');
  }
  return hosts.map((host, index) => {
    const port = (ports.length === 1 ? ports[0] : ports[index]) || DEFAULT_PORT;
    if (!(/^\d{1,5}$/.test(port) && Number(port) > 0 && Number(port) <= 65_535)) {
      throw new DatabaseUrlError('A port of DATABASE_URL must be an integer from 1 to 65535.');
    }
    return { host: host || DEFAULT_HOST, port };
  });
}

/** Returns the ports of the hosts of a URL, or undefined if none has one. */
function portsOf(ports: readonly string[]): string | undefined {
  return ports.every((port) => port === '') ? undefined : ports.join(',');
}

/** Returns the name, the address or the folder of a host, which is encoded in a URL. */
function decodeHost(host: string): string {
  try {
    return decodeURIComponent(host.replace(/^\[|\]$/g, ''));
  } catch {
    throw new DatabaseUrlError('DATABASE_URL has an invalid host.');
  }
}
