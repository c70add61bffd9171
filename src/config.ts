import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import ipaddr from 'ipaddr.js';
import type { TrustedDocumentsMode } from './graphql/trusted-documents.ts';
import type { RequestLogMode } from './http/observation/request-log.ts';
import type { RateLimits } from './http/protection/rate-limit.ts';
import { nearestName } from './nearest-name.ts';

/** The configuration of the gateway. */
export type Config = {
  readonly host: string;
  /** The TCP port; 0 for any free port. */
  readonly port: number;
  readonly databaseUrl: string;
  /** Whether `serve` creates a SQLite file that does not exist. */
  readonly createDatabase: boolean;
  /** The limits on one process's use of a PostgreSQL server. */
  readonly postgres: {
    /** The maximum number of connections. */
    readonly poolSize: number;
    /** The timeout of the statements of commands and migrations, in milliseconds. */
    readonly timeoutMs: number;
    /** The variables `PG…` of libpq. */
    readonly variables: Readonly<Record<string, string>>;
  };
  /** The time that the waits and the statements of one request have together, in milliseconds. */
  readonly requestTimeoutMs: number;
  /** The number of server processes. */
  readonly workers: number;
  /** The URL of the gateway for clients, without a trailing slash; undefined for the URL at which the server listens. */
  readonly publicUrl: string | undefined;
  readonly logLevel: LogLevel;
  /** Which requests are logged. */
  readonly logRequests: RequestLogMode;
  /** The TCP port of the metrics; undefined for none. */
  readonly metricsPort: number | undefined;
  /** The lifetime of a project token, in seconds. */
  readonly tokenTtlSeconds: number;
  /** The maximum number of valid project tokens of an app. */
  readonly maxTokensPerApp: number;
  /** The number of days for which audit events are kept; 0 keeps them for ever. */
  readonly auditDays: number;
  /** The bytes of responses to requests with an `Idempotency-Key` that are kept for one account within 24 hours. */
  readonly maxKeptBytes: number;
  /** Whether browsers get Apollo Sandbox at `/graphql`. */
  readonly sandbox: boolean;
  /** Whether to serve `/graphiql` and `/docs`; undefined to serve them if their browser assets have been built. */
  readonly explorers: boolean | undefined;
  /** Whether GraphQL clients can read the schema. */
  readonly introspection: boolean;
  /** The file with the manifest of the trusted GraphQL documents, and how others are treated; undefined without a file. */
  readonly trustedDocuments: { readonly file: string; readonly mode: TrustedDocumentsMode } | undefined;
  /** The origins whose pages can call the gateway, or `*` for all. */
  readonly corsOrigins: readonly string[];
  /** The maximum number of requests that one process works on at the same time. */
  readonly maxRequests: number;
  /** The addresses and networks of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
  readonly rateLimits: RateLimits;
  /** The time between the change of `/readyz` to 503 and the end of listening when the server stops, in seconds. */
  readonly stopDelaySeconds: number;
};

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

type LogLevel = (typeof LOG_LEVELS)[number];

const REQUEST_LOG_MODES = ['all', 'errors', 'none'] as const satisfies readonly RequestLogMode[];

const TRUSTED_DOCUMENTS_MODES = [
  'log',
  'prefer',
  'require',
] as const satisfies readonly TrustedDocumentsMode[];

/** Thrown for an invalid setting. The message is one line for the operator. */
export class ConfigError extends Error {}

const APOLLO_STUDIO = 'https://studio.apollographql.com';

const SECONDS_BY_UNIT = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

const MAX_WORKERS = 256;

const MAX_LIMIT = 100_000_000;

// Timers of Node end at once if they are longer than 24 days.
const MAX_TIMEOUT = '24h';

const MAX_DURATION = '3650d';

/**
 * Reads the configuration. No other module reads settings from the environment.
 *
 * @param environment the environment variables; an empty one means a missing one
 * @throws ConfigError for the first invalid value, and for a variable `PAW_*` that does not exist
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const set = Object.entries(environment).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const names = new Set<string>();
  const config = readSettings(
    (name) => {
      names.add(name);
      return environment[name] || undefined;
    },
    Object.fromEntries(set.filter(([name]) => name.startsWith('PG'))),
  );
  for (const [name] of set) {
    if (name.startsWith('PAW_') && !names.has(name)) throw unknownVariable(name, names);
  }
  return config;
}

function readSettings(
  value: (name: string) => string | undefined,
  variables: Config['postgres']['variables'],
): Config {
  const integer = (name: string, byDefault: number, min = 1, max = MAX_LIMIT) =>
    readInteger(name, value(name) ?? String(byDefault), min, max);
  const seconds = (name: string, byDefault: string, min = 1, max = MAX_TIMEOUT) =>
    readDuration(name, value(name) ?? byDefault, min, max);
  const onOff = (name: string) => readSwitch(name, value(name));
  const oneOf = <T extends string>(name: string, byDefault: T, names: readonly T[]) =>
    readName(name, value(name) ?? byDefault, names);
  const production = value('NODE_ENV') === 'production';
  const sandbox = onOff('PAW_SANDBOX') ?? !production;
  const file = value('PAW_TRUSTED_DOCUMENTS');
  const mode = oneOf('PAW_TRUSTED_DOCUMENTS_MODE', 'prefer', TRUSTED_DOCUMENTS_MODES);
  return {
    host: value('HOST') ?? '127.0.0.1',
    port: integer('PORT', 4000, 0, 65_535),
    databaseUrl: value('DATABASE_URL') ?? 'sqlite:data/paw.db',
    createDatabase: !production,
    postgres: {
      poolSize: integer('PAW_POSTGRES_POOL', 10, 1, 1000),
      timeoutMs: seconds('PAW_POSTGRES_TIMEOUT', '5s') * 1000,
      variables,
    },
    requestTimeoutMs: seconds('PAW_REQUEST_TIMEOUT', '5s') * 1000,
    workers: readWorkers(value('PAW_WORKERS') ?? '1'),
    publicUrl: readUrl('PUBLIC_URL', value('PUBLIC_URL')),
    logLevel: oneOf('LOG_LEVEL', 'info', LOG_LEVELS),
    logRequests: oneOf('PAW_LOG_REQUESTS', 'all', REQUEST_LOG_MODES),
    metricsPort: value('PAW_METRICS_PORT') ? integer('PAW_METRICS_PORT', 0, 1, 65_535) : undefined,
    tokenTtlSeconds: seconds('PAW_TOKEN_TTL', '1h', 1, MAX_DURATION),
    maxTokensPerApp: integer('PAW_APP_TOKENS', 1000, 1, 100_000),
    auditDays: integer('PAW_AUDIT_DAYS', 90, 0, 3650),
    maxKeptBytes: integer('PAW_IDEMPOTENCY_BYTES', 64_000_000),
    sandbox,
    explorers: onOff('PAW_EXPLORERS') ?? (production ? false : undefined),
    introspection: onOff('PAW_INTROSPECTION') ?? true,
    trustedDocuments: file === undefined ? undefined : { file, mode },
    corsOrigins: readOrigins(value('PAW_CORS_ORIGINS')) ?? (sandbox ? [APOLLO_STUDIO] : []),
    maxRequests: integer('PAW_MAX_REQUESTS', 250, 1, 100_000),
    trustedProxies: readTrustedProxies(value('PAW_TRUSTED_PROXIES')),
    rateLimits: {
      perCredential: integer('PAW_RATE_LIMIT_CREDENTIAL', 6000),
      perAccount: integer('PAW_RATE_LIMIT_ACCOUNT', 30_000),
      perAddress: integer('PAW_RATE_LIMIT_ADDRESS', 600),
    },
    stopDelaySeconds: seconds('PAW_STOP_DELAY', '1s', 0),
  };
}

function unknownVariable(name: string, names: ReadonlySet<string>): ConfigError {
  const nearest = nearestName(name, names);
  return new ConfigError(`${name} is not a setting.${nearest ? ` Did you mean ${nearest}?` : ''}`);
}

/**
 * Parses a duration such as `90d`, `1h`, `30m` or `45s`, and returns it in seconds.
 *
 * @param name the name of the variable or option, for the error message
 * @param min the minimum, in seconds
 * @param max the maximum, as a duration
 * @throws ConfigError if the duration is malformed or not within the bounds
 */
export function readDuration(name: string, text: string, min = 1, max = MAX_DURATION): number {
  const seconds = secondsOf(text);
  if (!(seconds >= min && seconds <= secondsOf(max))) {
    throw new ConfigError(`${name} must be a duration such as 90d, 1h, 30m or 45s, of at most ${max}.`);
  }
  return seconds;
}

function secondsOf(duration: string): number {
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(duration) ?? [];
  return Number(count) * SECONDS_BY_UNIT[unit as keyof typeof SECONDS_BY_UNIT];
}

/** Returns the URL of a server on `host` and `port`, for clients on the same host. */
export function localUrl(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://localhost:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function readInteger(name: string, text: string, min: number, max: number, alternative = ''): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= min && number <= max)) {
    throw new ConfigError(`${name} must be ${alternative}an integer from ${min} to ${max}.`);
  }
  return number;
}

function readWorkers(text: string): number {
  return text === 'auto'
    ? availableParallelism()
    : readInteger('PAW_WORKERS', text, 1, MAX_WORKERS, 'auto or ');
}

function readSwitch(name: string, text: string | undefined): boolean | undefined {
  if (text !== undefined && text !== 'on' && text !== 'off')
    throw new ConfigError(`${name} must be on or off.`);
  return text === undefined ? undefined : text === 'on';
}

function readName<T extends string>(name: string, text: string, names: readonly T[]): T {
  const known = names.find((each) => each === text);
  if (known === undefined) throw new ConfigError(`${name} must be one of ${names.join(', ')}.`);
  return known;
}

function readUrl(name: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || /[?#]/.test(text) || url.username || url.password) {
    throw new ConfigError(
      `${name} must be a URL that starts with http:// or https://, without a query or credentials.`,
    );
  }
  return url.href.replace(/\/+$/, '');
}

function readOrigins(text: string | undefined): readonly string[] | undefined {
  const origins = text?.split(',').map((origin) => origin.trim());
  for (const origin of origins ?? []) {
    if (origin !== '*' && URL.parse(origin)?.origin !== origin) {
      throw new ConfigError(
        'PAW_CORS_ORIGINS must be * or a comma-separated list of origins such as https://example.com.',
      );
    }
  }
  return origins;
}

function readTrustedProxies(text: string | undefined): readonly string[] {
  const proxies = text?.split(',').map((proxy) => proxy.trim()) ?? [];
  for (const proxy of proxies) {
    if (!(isIP(proxy) || ipaddr.isValidCIDR(proxy))) {
      throw new ConfigError(
        'PAW_TRUSTED_PROXIES must be a comma-separated list of IP addresses and networks such as 10.0.0.0/8.',
      );
    }
  }
  return proxies;
}
