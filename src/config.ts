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
  /** The lifetime of an access token, in seconds. */
  readonly tokenTtlSeconds: number;
  /** The maximum number of valid access tokens of an app. */
  readonly maxTokensPerApp: number;
  /** The number of days for which audit events are kept; 0 keeps them for ever. */
  readonly auditDays: number;
  /** The bytes of responses to requests with an `Idempotency-Key` that are kept for one principal within 24 hours. */
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

const MAX_KEPT_BYTES = 1_000_000_000_000;

const MAX_LIMIT = 100_000_000;

/**
 * Reads the configuration. No other module reads settings from the environment.
 *
 * @param environment the environment variables; an empty one means a missing one
 * @throws ConfigError for the first invalid value, and for a variable `PAW_*` that does not exist
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const names = new Set<string>();
  const config = readSettings((name) => {
    names.add(name);
    return environment[name] || undefined;
  }, readPostgresVariables(environment));
  for (const [name, value] of Object.entries(environment)) {
    if (value && name.startsWith('PAW_') && !names.has(name)) throw unknownVariable(name, names);
  }
  return config;
}

function readPostgresVariables(
  environment: Readonly<Record<string, string | undefined>>,
): Config['postgres']['variables'] {
  const variables: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value && name.startsWith('PG')) variables[name] = value;
  }
  return variables;
}

function readSettings(
  value: (name: string) => string | undefined,
  variables: Config['postgres']['variables'],
): Config {
  const readLimit = (name: string, defaultLimit: string) =>
    readInteger(name, value(name) ?? defaultLimit, 1, MAX_LIMIT);
  const production = value('NODE_ENV') === 'production';
  const sandbox = readSwitch('PAW_SANDBOX', value('PAW_SANDBOX')) ?? !production;
  return {
    host: value('HOST') ?? '127.0.0.1',
    port: readInteger('PORT', value('PORT') ?? '4000', 0, 65_535),
    databaseUrl: value('DATABASE_URL') ?? 'sqlite:data/paw.db',
    createDatabase: !production,
    postgres: {
      poolSize: readInteger('PAW_POSTGRES_POOL', value('PAW_POSTGRES_POOL') ?? '10', 1, 1000),
      timeoutMs: readTimeout('PAW_POSTGRES_TIMEOUT', value('PAW_POSTGRES_TIMEOUT') ?? '5s') * 1000,
      variables,
    },
    requestTimeoutMs: readTimeout('PAW_REQUEST_TIMEOUT', value('PAW_REQUEST_TIMEOUT') ?? '5s') * 1000,
    workers: readWorkers(value('PAW_WORKERS') ?? '1'),
    publicUrl: readUrl('PUBLIC_URL', value('PUBLIC_URL')),
    logLevel: readLogLevel(value('LOG_LEVEL') ?? 'info'),
    logRequests: readLogRequests(value('PAW_LOG_REQUESTS') ?? 'all'),
    metricsPort: readMetricsPort(value('PAW_METRICS_PORT')),
    tokenTtlSeconds: readDuration('PAW_TOKEN_TTL', value('PAW_TOKEN_TTL') ?? '1h'),
    maxTokensPerApp: readInteger('PAW_APP_TOKENS', value('PAW_APP_TOKENS') ?? '1000', 1, 100_000),
    auditDays: readInteger('PAW_AUDIT_DAYS', value('PAW_AUDIT_DAYS') ?? '90', 0, 3650),
    maxKeptBytes: readInteger(
      'PAW_IDEMPOTENCY_BYTES',
      value('PAW_IDEMPOTENCY_BYTES') ?? '16000000',
      1,
      MAX_KEPT_BYTES,
    ),
    sandbox,
    explorers: readSwitch('PAW_EXPLORERS', value('PAW_EXPLORERS')) ?? (production ? false : undefined),
    introspection: readSwitch('PAW_INTROSPECTION', value('PAW_INTROSPECTION')) ?? true,
    trustedDocuments: readTrustedDocuments(
      value('PAW_TRUSTED_DOCUMENTS'),
      value('PAW_TRUSTED_DOCUMENTS_MODE'),
    ),
    corsOrigins: readOrigins(value('PAW_CORS_ORIGINS')) ?? (sandbox ? [APOLLO_STUDIO] : []),
    maxRequests: readInteger('PAW_MAX_REQUESTS', value('PAW_MAX_REQUESTS') ?? '250', 1, 100_000),
    trustedProxies: readTrustedProxies(value('PAW_TRUSTED_PROXIES')),
    rateLimits: {
      perCredential: readLimit('PAW_RATE_LIMIT_CREDENTIAL', '6000'),
      perAccount: readLimit('PAW_RATE_LIMIT_ACCOUNT', '30000'),
      perAddress: readLimit('PAW_RATE_LIMIT_ADDRESS', '600'),
    },
    stopDelaySeconds: readTimeout('PAW_STOP_DELAY', value('PAW_STOP_DELAY') ?? '1s', 0),
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
export function readDuration(name: string, text: string, min = 1, max = '3650d'): number {
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

/** Reads a duration of at most a day, in seconds. Timers of Node end at once if they are longer than 24 days. */
function readTimeout(name: string, text: string, min = 1): number {
  return readDuration(name, text, min, '24h');
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

function readLogLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((name) => name === text);
  if (level === undefined) throw new ConfigError(`LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}.`);
  return level;
}

function readLogRequests(text: string): RequestLogMode {
  const mode = REQUEST_LOG_MODES.find((name) => name === text);
  if (mode === undefined)
    throw new ConfigError(`PAW_LOG_REQUESTS must be one of ${REQUEST_LOG_MODES.join(', ')}.`);
  return mode;
}

function readMetricsPort(text: string | undefined): number | undefined {
  return text === undefined ? undefined : readInteger('PAW_METRICS_PORT', text, 1, 65_535);
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

function readTrustedDocuments(file: string | undefined, mode = 'prefer'): Config['trustedDocuments'] {
  const known = TRUSTED_DOCUMENTS_MODES.find((name) => name === mode);
  if (known === undefined) {
    throw new ConfigError(`PAW_TRUSTED_DOCUMENTS_MODE must be one of ${TRUSTED_DOCUMENTS_MODES.join(', ')}.`);
  }
  return file === undefined ? undefined : { file, mode: known };
}
