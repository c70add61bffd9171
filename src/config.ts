import { availableParallelism } from 'node:os';

/** How the gateway runs. */
export type Config = {
  readonly host: string;
  /** 0 for a free one. */
  readonly port: number;
  readonly databaseUrl: string;
  /** Whether `serve` creates a SQLite file that does not exist. */
  readonly createDatabase: boolean;
  /** How much of a PostgreSQL server one process takes. */
  readonly postgres: {
    /** The most connections. */
    readonly poolSize: number;
    /** How long a statement may run, and how long one may wait for a connection, in milliseconds. */
    readonly timeoutMs: number;
  };
  /** How many processes serve the port. */
  readonly workers: number;
  /** Where clients reach the gateway, without a slash at its end; undefined for where it listens. */
  readonly publicUrl: string | undefined;
  readonly logLevel: LogLevel;
  /** How long an access token lives, in seconds. */
  readonly tokenTtlSeconds: number;
  /** Whether `/graphql` opens Apollo Sandbox in a browser. */
  readonly sandbox: boolean;
  /** Whether `/graphiql` and `/docs` are there; undefined for where their packages are installed. */
  readonly explorers: boolean | undefined;
  /** The origins whose pages may call the gateway, or `*` for all. */
  readonly corsOrigins: readonly string[];
  /** How many wallet passwords may wait to be hashed before more are refused. */
  readonly passwordQueue: number;
  /** How long a stopping server says so at `/readyz` before it stops listening, in seconds. */
  readonly stopDelaySeconds: number;
};

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

type LogLevel = (typeof LOG_LEVELS)[number];

/** A setting that cannot be used. The message is one line for the operator. */
export class ConfigError extends Error {}

const APOLLO_STUDIO = 'https://studio.apollographql.com';

const SECONDS_BY_UNIT = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

const MAX_WORKERS = 256;

const TEN_YEARS_SECONDS = 3650 * 86_400;

/**
 * Reads the configuration. Nothing else looks at the environment.
 *
 * @param environment an empty variable is the same as none
 * @throws ConfigError on the first bad value
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const value = (name: string) => environment[name] || undefined;
  const production = value('NODE_ENV') === 'production';
  const sandbox = readSwitch('PAW_SANDBOX', value('PAW_SANDBOX')) ?? !production;
  return {
    host: value('HOST') ?? '127.0.0.1',
    port: readInteger('PORT', value('PORT') ?? '4000', 0, 65_535),
    databaseUrl: value('DATABASE_URL') ?? 'sqlite:data/paw.db',
    createDatabase: !production,
    postgres: {
      poolSize: readInteger('PAW_POSTGRES_POOL', value('PAW_POSTGRES_POOL') ?? '10', 1, 1000),
      timeoutMs: readDuration('PAW_POSTGRES_TIMEOUT', value('PAW_POSTGRES_TIMEOUT') ?? '5s') * 1000,
    },
    workers: readWorkers(value('PAW_WORKERS') ?? '1'),
    publicUrl: readUrl('PUBLIC_URL', value('PUBLIC_URL')),
    logLevel: readLogLevel(value('LOG_LEVEL') ?? 'info'),
    tokenTtlSeconds: readDuration('PAW_TOKEN_TTL', value('PAW_TOKEN_TTL') ?? '1h'),
    sandbox,
    explorers: readSwitch('PAW_EXPLORERS', value('PAW_EXPLORERS')) ?? (production ? false : undefined),
    corsOrigins: readOrigins(value('PAW_CORS_ORIGINS')) ?? (sandbox ? [APOLLO_STUDIO] : []),
    passwordQueue: readInteger('PAW_PASSWORD_QUEUE', value('PAW_PASSWORD_QUEUE') ?? '100', 0, 10_000),
    stopDelaySeconds: readDuration('PAW_STOP_DELAY', value('PAW_STOP_DELAY') ?? '0s', 0),
  };
}

/**
 * Reads a length of time, such as `90d`, `1h`, `30m` or `45s`, in seconds.
 *
 * @param name what it is called where it was given
 * @param min the fewest seconds it may be
 * @throws ConfigError if it is malformed, shorter, or over ten years
 */
export function readDuration(name: string, text: string, min = 1): number {
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const seconds = Number(count) * SECONDS_BY_UNIT[unit as keyof typeof SECONDS_BY_UNIT];
  if (!(seconds >= min && seconds <= TEN_YEARS_SECONDS)) {
    throw new ConfigError(
      `${name} must be a length of time such as 90d, 1h, 30m or 45s, of at most ten years.`,
    );
  }
  return seconds;
}

/** The URL of a server that listens on `host` and `port`, as its own machine reaches it. */
export function localUrl(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://localhost:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function readInteger(name: string, text: string, min: number, max: number, otherwise = ''): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= min && number <= max)) {
    throw new ConfigError(`${name} must be ${otherwise}a whole number from ${min} to ${max}.`);
  }
  return number;
}

function readWorkers(text: string): number {
  return text === 'auto'
    ? availableParallelism()
    : readInteger('PAW_WORKERS', text, 1, MAX_WORKERS, 'auto, or ');
}

function readSwitch(name: string, text: string | undefined): boolean | undefined {
  if (text !== undefined && text !== 'on' && text !== 'off')
    throw new ConfigError(`${name} must be on or off.`);
  return text === undefined ? undefined : text === 'on';
}

function readLogLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((known) => known === text);
  if (level === undefined) throw new ConfigError(`LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}.`);
  return level;
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
        'PAW_CORS_ORIGINS must be * or a list of origins such as https://example.com, with commas.',
      );
    }
  }
  return origins;
}
