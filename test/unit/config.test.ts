import { expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { ConfigError } from '../../src/model/errors.ts';
import { DatabaseUrlError } from '../../src/storage/database-url.ts';
import { openDatabase } from '../../src/storage/open-database.ts';

const RATE_LIMITS = { perCredential: 6000, perAccount: 30_000, perAddress: 600 };

const POSTGRES = { poolSize: 10, timeoutMs: 5000, variables: {} };

const DEFAULTS = {
  host: '127.0.0.1',
  port: 4000,
  reusePort: false,
  databaseUrl: 'sqlite:data/paw.db',
  createDatabase: true,
  postgres: POSTGRES,
  requestTimeoutMs: 5000,
  publicUrl: undefined,
  logLevel: 'info',
  logRequests: 'all',
  metricsPort: undefined,
  tokenTtlSeconds: 3600,
  maxTokensPerApp: 1000,
  auditDays: 90,
  checkIntervalMs: 60_000,
  sandbox: true,
  console: undefined,
  explorers: undefined,
  introspection: true,
  federation: false,
  trustedDocuments: undefined,
  corsOrigins: ['https://studio.apollographql.com'],
  securityContact: undefined,
  maxRequests: 250,
  trustedProxies: [],
  rateLimits: RATE_LIMITS,
  stopDelaySeconds: 1,
};

const PRODUCTION = {
  ...{ createDatabase: false, sandbox: false, console: false, explorers: false },
  corsOrigins: [],
};

test.each([
  ['PAW_STOPDELAY', '1s'],
  ['PAW_GATEWAY_SERVICE_HOSTS', '10.0.0.11'],
  ['PAW_GATEWAY_PORT_4000', 'tcp://10.0.0.11:4000'],
])('the variable %s, which does not exist, is refused', (name, value) => {
  const message = `${name} is not a setting. docs/running.md lists all settings.`;
  expect(() => readConfig({ [name]: value })).toThrow(new ConfigError(message));
  expect(readConfig({ [name]: '', PAWS: value })).toStrictEqual(DEFAULTS);
});

test.each(['PAW_URL', 'PAW_TOKEN', 'PAW_CLIENT_ID', 'PAW_CLIENT_SECRET'])(
  '%s, which programs that call the gateway read, is not refused',
  (name) => {
    expect(readConfig({ [name]: 'value' })).toStrictEqual(DEFAULTS);
  },
);

test.each(['PAW', 'PAW_GATEWAY', 'PAW_METRICS'])('the variables %s_… of a Service are ignored', (service) => {
  const variables = ['TCP', 'UDP', 'SCTP'].flatMap((protocol) => {
    const port = `${service}_PORT_4000_${protocol}`;
    const url = `${protocol.toLowerCase()}://10.0.0.11:4000`;
    return [
      { [`${service}_SERVICE_HOST`]: '10.0.0.11', [`${service}_SERVICE_PORT`]: '4000' },
      { [`${service}_SERVICE_PORT_HTTP_ALT`]: '4000', [`${service}_PORT`]: url, [port]: url },
      { [`${port}_PROTO`]: protocol, [`${port}_PORT`]: '4000', [`${port}_ADDR`]: '10.0.0.11' },
    ];
  });
  for (const each of variables) expect(readConfig(each)).toStrictEqual(DEFAULTS);
});

test('every setting has a default, and an empty variable equals a missing one', () => {
  expect(readConfig({})).toStrictEqual(DEFAULTS);
  const names: string[] = [];
  readConfig(new Proxy({}, { get: (_target, name) => void names.push(String(name)) }));
  expect(names).toContain('PAW_STOP_DELAY');
  expect(readConfig(Object.fromEntries(names.map((name) => [name, ''])))).toStrictEqual(DEFAULTS);
});

test.each([
  [{ HOST: '::' }, { host: '::' }],
  [{ PORT: '0' }, { port: 0 }],
  [{ PORT: '65535' }, { port: 65_535 }],
  [{ DATABASE_URL: 'sqlite:/srv/paw.db' }, { databaseUrl: 'sqlite:/srv/paw.db' }],
  [{ PAW_POSTGRES_POOL: '1' }, { postgres: { ...POSTGRES, poolSize: 1 } }],
  [{ PAW_POSTGRES_POOL: '1000' }, { postgres: { ...POSTGRES, poolSize: 1000 } }],
  [{ PGHOST: 'h1,h2', PGPORT: '' }, { postgres: { ...POSTGRES, variables: { PGHOST: 'h1,h2' } } }],
  [{ PAW_POSTGRES_TIMEOUT: '2m' }, { postgres: { ...POSTGRES, timeoutMs: 120_000 } }],
  [{ PAW_REQUEST_TIMEOUT: '10s' }, { requestTimeoutMs: 10_000 }],
  [{ PUBLIC_URL: 'https://paw.example' }, { publicUrl: 'https://paw.example' }],
  [{ PUBLIC_URL: 'http://paw.example:8080/gateway//' }, { publicUrl: 'http://paw.example:8080/gateway' }],
  [{ LOG_LEVEL: 'silent' }, { logLevel: 'silent' }],
  [{ LOG_LEVEL: 'trace' }, { logLevel: 'trace' }],
  [{ PAW_LOG_REQUESTS: 'errors' }, { logRequests: 'errors' }],
  [{ PAW_METRICS_PORT: '9464' }, { metricsPort: 9464 }],
  [{ PAW_LOG_REQUESTS: 'none' }, { logRequests: 'none' }],
  [{ NODE_ENV: 'development' }, {}],
  [{ NODE_ENV: 'production' }, PRODUCTION],
  [
    { NODE_ENV: 'production', PAW_SANDBOX: 'on' },
    { ...PRODUCTION, sandbox: true, corsOrigins: DEFAULTS.corsOrigins },
  ],
  [
    { NODE_ENV: 'production', PAW_EXPLORERS: 'on' },
    { ...PRODUCTION, explorers: true },
  ],
  [{ PAW_CONSOLE: 'on' }, { console: true }],
  [{ PAW_CONSOLE: 'off' }, { console: false }],
  [{ PAW_EXPLORERS: 'on' }, { explorers: true }],
  [{ PAW_EXPLORERS: 'off' }, { explorers: false }],
  [{ PAW_SANDBOX: 'off' }, { sandbox: false, corsOrigins: [] }],
  [{ PAW_TOKEN_TTL: '1s' }, { tokenTtlSeconds: 1 }],
  [{ PAW_TOKEN_TTL: '30m' }, { tokenTtlSeconds: 1800 }],
  [{ PAW_TOKEN_TTL: '3650d' }, { tokenTtlSeconds: 315_360_000 }],
  [{ PAW_APP_TOKENS: '1' }, { maxTokensPerApp: 1 }],
  [{ PAW_AUDIT_DAYS: '0' }, { auditDays: 0 }],
  [{ PAW_AUDIT_DAYS: '3650' }, { auditDays: 3650 }],
  [{ PAW_CHECK_INTERVAL: '12h' }, { checkIntervalMs: 43_200_000 }],
  [{ PAW_INTROSPECTION: 'off' }, { introspection: false }],
  [{ PAW_REUSE_PORT: 'on' }, { reusePort: true }],
  [{ PAW_FEDERATION: 'on' }, { federation: true }],
  [{ PAW_TRUSTED_DOCUMENTS: 'm.json' }, { trustedDocuments: { file: 'm.json', mode: 'prefer' } }],
  [
    { PAW_TRUSTED_DOCUMENTS: 'm.json', PAW_TRUSTED_DOCUMENTS_MODE: 'require' },
    { trustedDocuments: { file: 'm.json', mode: 'require' } },
  ],
  [{ PAW_CORS_ORIGINS: '*' }, { corsOrigins: ['*'] }],
  [{ PAW_CORS_ORIGINS: 'http://localhost:*' }, { corsOrigins: ['http://localhost:*'] }],
  [{ PAW_CORS_ORIGINS: 'http://[::1]:*' }, { corsOrigins: ['http://[::1]:*'] }],
  [
    { PAW_CORS_ORIGINS: 'https://a.example, http://b.example:81' },
    { corsOrigins: ['https://a.example', 'http://b.example:81'] },
  ],
  [{ PAW_SECURITY_CONTACT: 'mailto:a@paw.example' }, { securityContact: 'mailto:a@paw.example' }],
  [{ PAW_SECURITY_CONTACT: 'https://paw.example/a?b=1' }, { securityContact: 'https://paw.example/a?b=1' }],
  [{ PAW_SECURITY_CONTACT: 'tel:+351-21-000' }, { securityContact: 'tel:+351-21-000' }],
  [{ PAW_MAX_REQUESTS: '1' }, { maxRequests: 1 }],
  [{ PAW_TRUSTED_PROXIES: '::1, 10.0.0.0/8' }, { trustedProxies: ['::1', '10.0.0.0/8'] }],
  [{ PAW_RATE_LIMIT_CREDENTIAL: '1' }, { rateLimits: { ...RATE_LIMITS, perCredential: 1 } }],
  [{ PAW_RATE_LIMIT_ACCOUNT: '2' }, { rateLimits: { ...RATE_LIMITS, perAccount: 2 } }],
  [{ PAW_RATE_LIMIT_ADDRESS: '100000000' }, { rateLimits: { ...RATE_LIMITS, perAddress: 100_000_000 } }],
  [{ PAW_STOP_DELAY: '0s' }, { stopDelaySeconds: 0 }],
  [{ PAW_STOP_DELAY: '15s' }, { stopDelaySeconds: 15 }],
])('%o changes what it names and nothing else', (environment, changes) => {
  expect(readConfig(environment)).toStrictEqual({ ...readConfig({}), ...changes });
});

const WRONG: readonly (readonly [names: string, values: readonly string[]])[] = [
  ['PORT', ['abc', '-1', '65536', '80.5', '4e3', '0x50', ' 80', '80 ']],
  ['HOST', ['not a host', 'postgres://u:p@host', 'a/b', '.', '[::1]', 'host:80', '1.2.3.4.5']],
  ['PAW_TRUSTED_DOCUMENTS', ['https://u:p@host/manifest.json', 'postgres:u:p@host']],
  ['PUBLIC_URL', ['paw.example', 'ftp://paw.example', 'javascript:alert(1)', 'https://paw.example/?a=1']],
  ['PUBLIC_URL', ['?', '#top', '#'].map((end) => `https://paw.example/${end}`)],
  ['PUBLIC_URL', ['me', ':secret'].map((user) => `https://${user}@paw.example`)],
  ['NODE_ENV', ['"production"', "'production'", 'production ', 'Production', 'prod', 'constructor']],
  ['LOG_LEVEL', ['loud', 'INFO', 'constructor']],
  ['PAW_METRICS_PORT', ['0', '65536', 'on']],
  ['PAW_LOG_REQUESTS', ['on', 'ALL', 'constructor']],
  ['PAW_TOKEN_TTL', ['0s', '-1h', '1', 'h', '1.5h', '1 h', '1H', '1w', '3651d', '999999999d', '1h30m']],
  ['PAW_APP_TOKENS', ['0', '100001', 'all']],
  ['PAW_CHECK_INTERVAL', ['0s', '13h', '60', 'never']],
  ['PAW_AUDIT_DAYS', ['-1', '3651', '90d', 'all']],
  [
    'PAW_REUSE_PORT PAW_SANDBOX PAW_INTROSPECTION PAW_FEDERATION PAW_CONSOLE PAW_EXPLORERS',
    ['true', '1', 'ON'],
  ],
  ['PAW_TRUSTED_DOCUMENTS_MODE', ['on', 'REQUIRE', 'constructor']],
  [
    'PAW_CORS_ORIGINS',
    ['LOCALHOST:*', 'localhost:3000:*', '*:3000', 'localhost:*/'].map((end) => `http://${end}`),
  ],
  ['PAW_CORS_ORIGINS', ['/', '/path', ','].map((end) => `https://paw.example${end}`)],
  ['PAW_CORS_ORIGINS', ['paw.example', 'null', 'file:///', 'localhost:*']],
  ['PAW_POSTGRES_POOL', ['0', '1001', 'all']],
  ['PAW_POSTGRES_TIMEOUT PAW_REQUEST_TIMEOUT', ['0s', '5', 'never', '25h']],
  [
    'PAW_SECURITY_CONTACT',
    ['a@paw.example', 'mailto:', 'http://paw.example', 'https:///', 'tel:', 'mailto:a@b\nExpires: 1'],
  ],
  ['PAW_MAX_REQUESTS', ['0', '100001', '-1', '1.5', 'all', ' 2', '0x2', '1e1']],
  ['PAW_TRUSTED_PROXIES', ['proxy.example', '10.0.0.0/33', '10.0.0.1,', '*', 'true', '10.0.1', '::1/129']],
  ['PAW_RATE_LIMIT_CREDENTIAL PAW_RATE_LIMIT_ACCOUNT PAW_RATE_LIMIT_ADDRESS', ['0', '100000001', 'off']],
  ['PAW_STOP_DELAY', ['-1s', '10', 'soon', '25h']],
];

test.each(
  WRONG.flatMap(([names, values]) =>
    names.split(' ').flatMap((name) => values.map((value) => [name, value] as const)),
  ),
)('%s=%s is refused with one line that names the variable', (name, value) => {
  const read = () => readConfig({ [name]: value });
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(new RegExp(`^${name} must be .+\\.$`));
});

test.each([
  'mysql://paw:hunter2@db.example/paw',
  'https://paw:hunter2@db.example/paw',
  'hunter2.db',
  'SQLITE:hunter2.db',
  'sqlite:',
])('DATABASE_URL=%s is refused, and the error does not repeat it', async (url) => {
  const refusal = await openDatabase(url).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(DatabaseUrlError);
  expect(String(refusal)).toMatch(/DATABASE_URL must be .+\.$/);
  expect(String(refusal)).not.toContain('hunter2');
});
