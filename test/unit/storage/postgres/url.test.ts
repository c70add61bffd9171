import { describe, expect, test } from 'vitest';
import { DatabaseUrlError } from '../../../../src/storage/database-url.ts';
import { openDatabase } from '../../../../src/storage/open-database.ts';
import { parsePostgresUrl } from '../../../../src/storage/postgres/url.ts';

function namesOf(url: string, variables = {}): readonly string[] {
  return parsePostgresUrl(url, variables).hosts.map(({ name }) => name);
}

/** Returns the parts of the URL that the driver gets for each host. */
function urlsOf(url: string, variables = {}) {
  return parsePostgresUrl(url, variables).hosts.map((host) => {
    const { username, password, pathname, searchParams } = new URL(host.url);
    return { username, password, pathname, ...Object.fromEntries(searchParams) };
  });
}

test.each([
  ['postgres://h1/db', ['h1:5432']],
  ['postgresql://paw:p@ss@h1:5433/db', ['h1:5433']],
  ['postgres://h1,h2:5433,h3/db', ['h1:5432', 'h2:5433', 'h3:5432']],
  ['postgres://paw@[::1]:5433,10.0.0.1/db', ['::1:5433', '10.0.0.1:5432']],
  ['postgres:///db?host=h1,h2&port=5433,5434', ['h1:5433', 'h2:5434']],
  ['postgres:///db?host=h1,h2&port=5433', ['h1:5433', 'h2:5433']],
  ['postgres://%2Frun%2Fpostgresql/db', ['/run/postgresql:5432']],
  ['postgres:///db?host=/run/postgresql', ['/run/postgresql:5432']],
  ['postgres://', ['localhost:5432']],
])('%s has the hosts %j', (url, names) => {
  expect(namesOf(url)).toEqual(names);
});

test('the driver gets a URL for each host, with the meaning of sslmode in libpq', () => {
  const url =
    'postgres://paw:secret@h1,h2:5433/db?sslmode=require&target_session_attrs=primary&connect_timeout=2';
  const common = { username: 'paw', password: 'secret', pathname: '/db', sslmode: 'require' };
  expect(urlsOf(url)).toEqual([
    { ...common, host: 'h1', port: '5432', uselibpqcompat: 'true' },
    { ...common, host: 'h2', port: '5433', uselibpqcompat: 'true' },
  ]);
});

test('the options are read, and have the defaults of libpq', () => {
  expect(parsePostgresUrl('postgres://h1/db')).toMatchObject({
    sessionAttributes: 'any',
    isBalanced: false,
    connectTimeoutMs: undefined,
    prefersEncryption: false,
    hasPooler: false,
    isPrepared: true,
  });
  const query =
    'target_session_attrs=read-write&load_balance_hosts=random&connect_timeout=3&sslmode=prefer&pgbouncer=true';
  expect(parsePostgresUrl(`postgres://h1/db?${query}`)).toMatchObject({
    sessionAttributes: 'read-write',
    isBalanced: true,
    connectTimeoutMs: 3000,
    prefersEncryption: true,
    hasPooler: true,
    isPrepared: false,
  });
  for (const [value, hasPooler] of [
    ['prepared', true],
    ['false', false],
  ]) {
    const target = parsePostgresUrl(`postgres://h1/db?pgbouncer=${value}`);
    expect(target).toMatchObject({ hasPooler, isPrepared: true });
  }
});

describe('a variable of libpq', () => {
  const VARIABLES = {
    PGHOST: 'h1,h2',
    PGPORT: '5433,5434',
    PGUSER: 'paw',
    PGPASSWORD: 'a/b@c%',
    PGDATABASE: 'wallets',
    PGSSLMODE: 'require',
    PGAPPNAME: 'till',
    PGTARGETSESSIONATTRS: 'read-write',
    PGCONNECT_TIMEOUT: '2',
  };

  test('gives what is not in the URL', () => {
    expect(namesOf('postgres://', VARIABLES)).toEqual(['h1:5433', 'h2:5434']);
    expect(urlsOf('postgres://', VARIABLES)[1]).toEqual({
      username: 'paw',
      password: encodeURIComponent('a/b@c%'),
      pathname: '/wallets',
      host: 'h2',
      port: '5434',
      sslmode: 'require',
      application_name: 'till',
      uselibpqcompat: 'true',
    });
    expect(parsePostgresUrl('postgres://', VARIABLES)).toMatchObject({
      sessionAttributes: 'read-write',
      connectTimeoutMs: 2000,
    });
  });

  test('gives way to the URL', () => {
    const url =
      'postgres://me:mine@h3:5435/db?sslmode=disable&application_name=mine&target_session_attrs=any&connect_timeout=0';
    expect(urlsOf(url, VARIABLES)).toEqual([
      {
        username: 'me',
        password: 'mine',
        pathname: '/db',
        host: 'h3',
        port: '5435',
        sslmode: 'disable',
        application_name: 'mine',
        uselibpqcompat: 'true',
      },
    ]);
    expect(parsePostgresUrl(url, VARIABLES)).toMatchObject({
      sessionAttributes: 'any',
      connectTimeoutMs: undefined,
    });
  });

  test('with an invalid value is refused by its name', () => {
    const parse = () => parsePostgresUrl('postgres://h1/db', { PGTARGETSESSIONATTRS: 'master' });
    expect(parse).toThrow(DatabaseUrlError);
    expect(parse).toThrow(/^PGTARGETSESSIONATTRS must be one of any, /);
  });
});

test.each([
  ['h1/db?ssl_mode=require', '"ssl_mode"'],
  ['h1/db?sslmode=require&SSLMODE=require&foo', '"SSLMODE", "foo"'],
  ['h1/db?uselibpqcompat=false', '"uselibpqcompat"'],
  ['h1/db?user=root%0Aroot', '"user"'],
  ['h1/db?service=mine', '"service"'],
  ['h1/db?a%0Ab=1', '"a\\nb"'],
  [
    'h1/db?sslmode=on',
    'sslmode of DATABASE_URL must be one of disable, prefer, require, verify-ca, verify-full.',
  ],
  ['h1/db?sslmode=', 'sslmode of DATABASE_URL must be'],
  ['h1/db?sslmode=require&sslmode=disable', 'may have the parameter sslmode once.'],
  ['h1/db?pgbouncer=1', 'pgbouncer of DATABASE_URL must be one of true, prepared, false.'],
  [
    'h1,h2/db?target_session_attrs=master',
    'target_session_attrs of DATABASE_URL must be one of any, read-write, read-only, primary, standby, prefer-standby.',
  ],
  ['h1,h2/db?load_balance_hosts=on', 'load_balance_hosts of DATABASE_URL must be one of disable, random.'],
  ['h1,h2/db?connect_timeout=2s', 'connect_timeout of DATABASE_URL must be a number of seconds'],
  ['h1,h2,h3/db?port=5432,5433', 'must have one port, or one for each host.'],
  ['h1:0/db', 'A port of DATABASE_URL must be an integer from 1 to 65535.'],
  ['h1:99999/db', 'A port of DATABASE_URL must be an integer from 1 to 65535.'],
  ['h1:port/db', 'has an invalid host.'],
  ['%zz/db', 'has an invalid host.'],
  [`${'h,'.repeat(16)}h/db`, 'at most 16 hosts'],
])('postgres://…%s is refused with one line: %s', async (rest, message) => {
  const refusal = await openDatabase(`postgres://paw:hunter2@${rest}`).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(DatabaseUrlError);
  expect(String(refusal)).toContain(message);
  expect(String(refusal)).not.toMatch(/hunter2|\n/);
});
