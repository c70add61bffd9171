import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import { DatabaseUrlError } from '../../../../src/storage/database-url.ts';
import { type PostgresTarget, parsePostgresUrl } from '../../../../src/storage/postgres/connections/url.ts';

/** Returns the hosts and ports to which the driver connects. */
function namesOf(url: string, variables = {}): readonly string[] {
  return parsePostgresUrl(url, { PGUSER: 'paw', ...variables }).hosts.map((connectionString) => {
    const { host, port } = new Client({ connectionString });
    return `${host}:${port}`;
  });
}

/** Returns the parts of the URL that the driver gets for each host. */
function urlsOf(url: string, variables = {}) {
  return parsePostgresUrl(url, variables).hosts.map((host) => {
    const { username, password, host: name, pathname, searchParams } = new URL(host);
    return { username, password, host: name, pathname, ...Object.fromEntries(searchParams) };
  });
}

test.each([
  ['postgres://h1/db', ['h1:5432']],
  ['postgresql://paw:p@ss@h1:5433/db', ['h1:5433']],
  ['postgres://h1,h2:5433,h3/db', ['h1:5432', 'h2:5433', 'h3:5432']],
  ['postgres://paw@[::1]:5433,10.0.0.1/db', ['::1:5433', '10.0.0.1:5432']],
  ['postgres:///db?host=h1&port=5433', ['h1:5433']],
  ['postgres://%2Frun%2Fpostgresql/db', ['/run/postgresql:5432']],
  ['postgres:///db?host=/run/postgresql', ['/run/postgresql:5432']],
  ['postgres://', ['localhost:5432']],
])('%s has the hosts %j', (url, names) => {
  expect(namesOf(url)).toEqual(names);
});

test('the driver gets a URL for each host, with the meaning of sslmode in libpq', () => {
  const common = { username: 'paw', password: 'secret', pathname: '/db', sslmode: 'require' };
  expect(urlsOf('postgres://paw:secret@h1,h2:5433/db?sslmode=require&connect_timeout=2')).toEqual([
    { ...common, host: 'h1', uselibpqcompat: 'true' },
    { ...common, host: 'h2:5433', uselibpqcompat: 'true' },
  ]);
});

test.each<[query: string, options: Partial<PostgresTarget>]>([
  ['', { isReadWrite: false, connectTimeoutMs: undefined, hasPooler: false, isPrepared: true }],
  ['target_session_attrs=read-write&connect_timeout=3', { isReadWrite: true, connectTimeoutMs: 3000 }],
  ['pgbouncer=true', { hasPooler: true, isPrepared: false }],
  ['pgbouncer=prepared', { hasPooler: true, isPrepared: true }],
  ['pgbouncer=false', { hasPooler: false, isPrepared: true }],
])('the query "%s" has the options %o', (query, options) => {
  expect(parsePostgresUrl(`postgres://paw@h1/db?${query}`)).toMatchObject(options);
});

describe('a variable of libpq', () => {
  const VARIABLES = {
    PGHOST: '/run/postgresql',
    PGPORT: '5433',
    PGUSER: 'paw',
    PGPASSWORD: 'a/b@c%',
    PGDATABASE: 'wallets',
    PGSSLMODE: 'require',
    PGAPPNAME: 'till',
    PGTARGETSESSIONATTRS: 'read-write',
    PGCONNECT_TIMEOUT: '2',
  };

  test.each([
    [
      'gives what is not in the URL',
      'postgres://',
      {
        ...{ username: 'paw', password: encodeURIComponent('a/b@c%'), pathname: '/wallets' },
        ...{ host: '/run/postgresql', port: '5433', sslmode: 'require', application_name: 'till' },
      },
      { isReadWrite: true, connectTimeoutMs: 2000 },
    ],
    [
      'gives way to the URL',
      'postgres://me:mine@h3:5435/db?sslmode=disable&application_name=mine&target_session_attrs=any&connect_timeout=0',
      {
        ...{ username: 'me', password: 'mine', pathname: '/db' },
        ...{ host: 'h3:5435', sslmode: 'disable', application_name: 'mine' },
      },
      { isReadWrite: false, connectTimeoutMs: undefined },
    ],
  ])('%s', (_, url, parts, options) => {
    expect(urlsOf(url, VARIABLES)).toEqual([{ ...parts, uselibpqcompat: 'true' }]);
    expect(parsePostgresUrl(url, VARIABLES)).toMatchObject(options);
  });

  test.each([
    ['that the driver would ignore', { PGSSLCRL: 'revoked.pem' }, /^PGSSLCRL is not supported\.$/],
    [
      'with an invalid value',
      { PGTARGETSESSIONATTRS: 'master' },
      /^PGTARGETSESSIONATTRS must be one of any, /,
    ],
  ])('%s is refused by its name', (_, variables, message) => {
    const parse = () => parsePostgresUrl('postgres://h1/db', variables);
    expect(parse).toThrow(DatabaseUrlError);
    expect(parse).toThrow(message);
  });
});

test('a URL without a user is refused, unless PGUSER is set', () => {
  const parse = () => parsePostgresUrl('postgres://h1/db');
  expect(parse).toThrow(new DatabaseUrlError('DATABASE_URL has no user, and PGUSER is not set.'));
  expect(namesOf('postgres://h1/db')).toHaveLength(1);
});

const UNKNOWN = 'DATABASE_URL has an unknown parameter. The parameters are application_name, ';

test.each([
  ['h1/db?ssl_mode=require', UNKNOWN],
  ['h1/db?sslmode=require&SSLMODE=require', UNKNOWN],
  ['h1/db?uselibpqcompat=false', UNKNOWN],
  ['h1/db?user=root', UNKNOWN],
  ['h1/db?password=a&hunter2', UNKNOWN],
  ['h1/db?service=mine', UNKNOWN],
  ['h1/db?sslmode=on', 'sslmode of DATABASE_URL must be one of disable, require, verify-ca, verify-full.'],
  ['h1/db?sslmode=', 'sslmode of DATABASE_URL must be'],
  ['h1/db?sslmode=require&sslmode=disable', 'may have the parameter sslmode once.'],
  ['h1/db?pgbouncer=1', 'pgbouncer of DATABASE_URL must be one of true, prepared, false.'],
  [
    'h1,h2/db?target_session_attrs=master',
    'target_session_attrs of DATABASE_URL must be one of any, read-write.',
  ],
  ['h1,h2/db?load_balance_hosts=random', UNKNOWN],
  ['h1/db?sslmode=prefer', 'sslmode of DATABASE_URL must be'],
  ['h1,h2/db?connect_timeout=2s', 'connect_timeout of DATABASE_URL must be a number of seconds'],
  ['h1/db?sslmode=verify-ca', 'sslmode=verify-ca needs sslrootcert'],
  ['h1/db?sslmode=verify-ca&sslrootcert=none.pem', 'sslrootcert of DATABASE_URL must be a file that exists.'],
  ['h1:99999/db', 'has an invalid host.'],
  ['h1:port/db', 'has an invalid host.'],
  ['%zz/db', 'has an invalid host.'],
])('postgres://…%s is refused with one line: %s', (rest, message) => {
  const parse = () => parsePostgresUrl(`postgres://paw:hunter2@${rest}`);
  expect(parse).toThrow(DatabaseUrlError);
  expect(parse).toThrow(message);
  expect(parse).not.toThrow(/hunter2|\n/);
});

// What the parser of URLs would take for the host, the port, the database or a parameter.
test.each(
  ['abc', '123', 'a@b', 'a:b'].flatMap((first) =>
    ['?', '#', '/', '/?', '?a=', '?sslmode=', '/a/'].map((mark) => `u:${first}${mark}hunter2`),
  ),
)('a password that is not encoded is refused without any of it: postgres://%s@h1/db', (user) => {
  const parse = () => parsePostgresUrl(`postgres://${user}@h1/db`, { PGUSER: 'paw' });
  expect(parse).toThrow(DatabaseUrlError);
  expect(parse).toThrow('is not encoded: # is %23, / is %2F, ? is %3F, and @ is %40.');
  expect(parse).not.toThrow(/hunter2|abc|123/);
});

test.each(['PGHOST', 'PGUSER', 'PGDATABASE'])(
  '%s is refused if it is a URL, and the error does not repeat it',
  (name) => {
    const parse = () =>
      parsePostgresUrl('postgres://h1/db', { PGUSER: 'paw', [name]: 'postgres://u:hunter2@h1/db' });
    expect(parse).toThrow(new DatabaseUrlError(`${name} must not be a URL; DATABASE_URL is one.`));
  },
);
