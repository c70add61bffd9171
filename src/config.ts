import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { CLIENT_SETTINGS } from './model/client-settings.ts';
import { ConfigError } from './model/errors.ts';
import { isUrl } from './storage/database-url.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export const { version: VERSION }: { readonly version: string } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);

/** Whether npm has started the program: `npx`, `npm exec` or a script. */
export const IS_UNDER_NPM = 'npm_command' in process.env;

/** Whether the terminal can't erase a line, or does not say what it can. */
export const IS_DUMB_TERMINAL = ['dumb', '', undefined].includes(process.env['TERM']);

// Node strips no types in packages, so only a checkout runs the source.
const IS_CHECKOUT = import.meta.url.endsWith('.ts');

const PACKAGE_COMMAND = IS_UNDER_NPM ? 'npx paw-gateway' : 'paw';

/** How a shell runs `paw` here: by npm in a checkout, by npx if npm has started the package, otherwise by its name. */
export const PAW_COMMAND = IS_CHECKOUT ? 'npm run -s paw --' : PACKAGE_COMMAND;

/** How a shell runs `paw serve` here. */
export const SERVE_COMMAND = IS_CHECKOUT ? 'npm start' : `${PAW_COMMAND} serve`;

/** The origin of Apollo Sandbox. */
export const APOLLO_STUDIO = 'https://studio.apollographql.com';

export const SECONDS_BY_UNIT = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

const MAX_LIMIT = 100_000_000;

// Node's timers fire immediately if they are longer than 24 days.
const MAX_TIMEOUT = '24h';

const MAX_DURATION = '3650d';

// Less than the day by which a sweep finds that the clock is wrong.
const MAX_CHECK_INTERVAL = '12h';

// The ends of the variables `PAW_…` that Kubernetes sets in every container for a Service called `paw` or `paw-…`.
const SERVICE_VARIABLE =
  /_(?:SERVICE_HOST$|SERVICE_PORT(?:_|$)|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$)/;

const HOST_NAME = /^\w(?:[\w.-]*\w)?\.?$/;

/** The configuration of the gateway. */
export type Config = Readonly<ReturnType<typeof readAll>>;

/**
 * Reads the configuration. No other module reads settings from the environment.
 *
 * @param environment the environment variables, by default the variables of the process; an empty one means a missing one
 * @throws ConfigError for the first invalid value, and for a variable `PAW_*` that neither the gateway nor its clients read
 */
export function readConfig(environment: Environment = process.env): Config {
  const settings = new Settings(environment);
  const known = new Set<string>(Object.values(CLIENT_SETTINGS));
  const set = Object.entries(environment).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const config = readAll(settings, Object.fromEntries(set.filter(([name]) => name.startsWith('PG'))));
  for (const [name, value] of set) {
    const isKnown = settings.names.has(name) || known.has(name) || isOfService(name, value);
    if (name.startsWith('PAW_') && !isKnown) {
      throw new ConfigError(`${name} is not a setting. docs/running.md lists all settings.`);
    }
  }
  return config;
}

/** Returns the variable with the name of an option that does not exist, such as `PORT` for `port`, or undefined. */
export function variableOf(option: string): string | undefined {
  const name = option.toUpperCase().replaceAll('-', '_');
  const variables = settingNames();
  return (
    variables.find((each) => each === name || each === `PAW_${name}`) ??
    variables.find((each) => each.startsWith(`${name}_`))
  );
}

/** Returns the names of all settings. */
export function settingNames(): readonly string[] {
  const settings = new Settings({});
  readAll(settings, {});
  return [...settings.names];
}

/** Whether Kubernetes has set a variable `PAW_…` for a Service. One called `paw-metrics` gives `PAW_METRICS_PORT`. */
function isOfService(name: string, value: string): boolean {
  return SERVICE_VARIABLE.test(name) || (name.endsWith('_PORT') && /^(?:tcp|udp|sctp):\/\//.test(value));
}

/** Reads all settings. @param variables the variables `PG…` of libpq */
function readAll(settings: Settings, variables: Readonly<Record<string, string>>) {
  const isProduction = settings.oneOf('NODE_ENV', ['production', 'development', 'test']) === 'production';
  const sandbox = settings.isOn('PAW_SANDBOX') ?? !isProduction;
  const file = settings.file('PAW_TRUSTED_DOCUMENTS');
  const mode = settings.oneOf('PAW_TRUSTED_DOCUMENTS_MODE', ['log', 'prefer', 'require']) ?? 'prefer';
  return {
    host: settings.host('HOST') ?? '127.0.0.1',
    /** The TCP port; 0 for any free port. */
    port: settings.integer('PORT', 0, 65_535) ?? 4000,
    /** Whether other instances can listen on the same port. */
    reusePort: settings.isOn('PAW_REUSE_PORT') ?? false,
    databaseUrl: settings.text('DATABASE_URL') ?? 'sqlite:data/paw.db',
    /** Whether `serve` creates a SQLite file that does not exist. */
    createDatabase: !isProduction,
    postgres: {
      /** The maximum number of connections of one process. */
      poolSize: settings.integer('PAW_POSTGRES_POOL', 1, 1000) ?? 10,
      /** The timeout of the statements of commands. */
      timeoutMs: 1000 * (settings.seconds('PAW_POSTGRES_TIMEOUT') ?? 5),
      variables,
    },
    /** The time that the waits and the statements of one request have together. */
    requestTimeoutMs: 1000 * (settings.seconds('PAW_REQUEST_TIMEOUT') ?? 5),
    /** The URL of the gateway for clients, without a trailing slash; undefined for that at which the server listens. */
    publicUrl: settings.url('PUBLIC_URL'),
    logLevel:
      settings.oneOf('LOG_LEVEL', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']) ?? 'info',
    logRequests: settings.oneOf('PAW_LOG_REQUESTS', ['all', 'errors', 'none']) ?? 'all',
    /** The TCP port of the metrics; undefined for none. */
    metricsPort: settings.integer('PAW_METRICS_PORT', 1, 65_535),
    tokenTtlSeconds: settings.seconds('PAW_TOKEN_TTL', 1, MAX_DURATION) ?? 3600,
    maxTokensPerApp: settings.integer('PAW_APP_TOKENS', 1, 100_000) ?? 1000,
    /** The number of days for which audit events are kept; 0 keeps them permanently. */
    auditDays: settings.integer('PAW_AUDIT_DAYS', 0, 3650) ?? 90,
    /** The time between the works that need the database and belong to no request. */
    checkIntervalMs: 1000 * (settings.seconds('PAW_CHECK_INTERVAL', 1, MAX_CHECK_INTERVAL) ?? 60),
    sandbox,
    console: settings.isOn('PAW_CONSOLE') ?? (isProduction ? false : undefined),
    explorers: settings.isOn('PAW_EXPLORERS') ?? (isProduction ? false : undefined),
    introspection: settings.isOn('PAW_INTROSPECTION') ?? true,
    federation: settings.isOn('PAW_FEDERATION') ?? false,
    /** The file with the manifest of the trusted GraphQL documents, and how others are treated. */
    trustedDocuments: file === undefined ? undefined : { file, mode },
    /** The origins whose pages can call the gateway, or `*` for all. One that ends with `:*` has any port. */
    corsOrigins: settings.origins('PAW_CORS_ORIGINS') ?? (sandbox ? [APOLLO_STUDIO] : []),
    /** The URI at which people report vulnerabilities; undefined for no `security.txt`. */
    securityContact: settings.contact('PAW_SECURITY_CONTACT'),
    /** The maximum number of requests that one process works on at the same time. */
    maxRequests: settings.integer('PAW_MAX_REQUESTS', 1, 100_000) ?? 250,
    /** The addresses and networks of proxies whose `X-Forwarded-For` is trusted. */
    trustedProxies: settings.networks('PAW_TRUSTED_PROXIES') ?? [],
    rateLimits: {
      perCredential: settings.integer('PAW_RATE_LIMIT_CREDENTIAL') ?? 6000,
      perAccount: settings.integer('PAW_RATE_LIMIT_ACCOUNT') ?? 30_000,
      perAddress: settings.integer('PAW_RATE_LIMIT_ADDRESS') ?? 600,
    },
    /** The time between the change of `/readyz` to 503 and the end of listening when the server stops. */
    stopDelaySeconds: settings.seconds('PAW_STOP_DELAY', 0) ?? 1,
  };
}

/** Reads environment variables. The methods return undefined for a missing variable, and throw ConfigError for an invalid one. */
class Settings {
  readonly #environment: Environment;
  /** The variables that were read. */
  readonly names = new Set<string>();

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  text(name: string): string | undefined {
    this.names.add(name);
    const value = this.#environment[name];
    return value && !isOfService(name, value) ? value : undefined;
  }

  integer(name: string, min = 1, max = MAX_LIMIT): number | undefined {
    return this.#read(name, `an integer from ${min} to ${max}`, (text) => integerOf(text, min, max));
  }

  seconds(name: string, min = 1, max = MAX_TIMEOUT): number | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : readDuration(name, text, min, max);
  }

  isOn(name: string): boolean | undefined {
    const isOn = new Map([
      ['on', true],
      ['off', false],
    ]);
    return this.#read(name, 'on or off', (text) => isOn.get(text));
  }

  oneOf<const T extends string>(name: string, names: readonly T[]): T | undefined {
    return this.#read(name, `one of ${names.join(', ')}`, (text) => names.find((each) => each === text));
  }

  url(name: string): string | undefined {
    const must = 'a URL that starts with http:// or https://, without a query or credentials';
    return this.#read(name, must, (text) => {
      const url = URL.parse(text);
      if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
      return /[?#]/.test(text) || url.username || url.password
        ? undefined
        : url.href.replace(/(?<!\/)\/+$/, '');
    });
  }

  contact(name: string): string | undefined {
    const must = 'a URI such as mailto:security@example.com or https://example.com/report';
    const isContact = /^(?:https:\/\/[^\s/]|mailto:[^\s@]+@\S|tel:\+?\d)\S*$/;
    return this.#read(name, must, (text) => (isContact.test(text) && URL.canParse(text) ? text : undefined));
  }

  host(name: string): string | undefined {
    const isName = (text: string) => HOST_NAME.test(text) && URL.canParse(`http://${text}`);
    const isHost = (text: string) => isIP(text) > 0 || isName(text);
    return this.#read(name, 'an IP address or a host name', (text) => (isHost(text) ? text : undefined));
  }

  /** Reads the name of a file. A URL could contain a password, which would be printed if the file can't be read. */
  file(name: string): string | undefined {
    return this.#read(name, 'a file, not a URL', (text) => (isUrl(text) ? undefined : text));
  }

  origins(name: string): readonly string[] | undefined {
    const isOrigin = (text: string) => {
      // An origin with any port is one with each port.
      const origin = text.replace(/:\*$/, ':1');
      return text === '*' || (URL.parse(origin)?.origin === origin && !origin.includes('*'));
    };
    const must = '* or a comma-separated list of origins such as https://example.com or http://localhost:*';
    return this.#list(name, must, isOrigin);
  }

  networks(name: string): readonly string[] | undefined {
    const isNetwork = (text: string) => isIP(text) > 0 || ipaddr.isValidCIDR(text);
    return this.#list(
      name,
      'a comma-separated list of IP addresses and networks such as 10.0.0.0/8',
      isNetwork,
    );
  }

  #list(name: string, must: string, isValid: (item: string) => boolean): readonly string[] | undefined {
    return this.#read(name, must, (text) => {
      const items = text.split(',').map((item) => item.trim());
      return items.every(isValid) ? items : undefined;
    });
  }

  /** Reads a variable. @param parse returns undefined for an invalid text */
  #read<T>(name: string, must: string, parse: (text: string) => T | undefined): T | undefined {
    const text = this.text(name);
    const value = text === undefined ? undefined : parse(text);
    if (text !== undefined && value === undefined) throw new ConfigError(`${name} must be ${must}.`);
    return value;
  }
}

function integerOf(text: string, min: number, max: number): number | undefined {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  return number >= min && number <= max ? number : undefined;
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
    throw new ConfigError(`${name} must be a duration such as 7d, 12h, 30m or 45s, of at most ${max}.`);
  }
  return seconds;
}

function secondsOf(duration: string): number {
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(duration) ?? [];
  return Number(count) * SECONDS_BY_UNIT[unit as keyof typeof SECONDS_BY_UNIT];
}

/** Returns the URL of a server on `host` and `port`, for clients on the same host. */
export function localUrl(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return localUrl('localhost', port);
  // A URL can't name the zone of an IPv6 address.
  return new URL(`http://${host.includes(':') ? `[${host.replace(/%.*/, '')}]` : host}:${port}`).origin;
}
