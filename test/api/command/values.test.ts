import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../support/gateway.ts';
import { paw } from '../../support/run-command.ts';

const ULID = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const LONG = 'x'.repeat(2001);
const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const WALLET = { '--project': ULID, '--title': 'T', '--network': 'NETWORK_POLYGON', '--address': ADDRESS };
const POOL = { '--account': ULID, '--network': 'NETWORK_POLYGON' };

type Values = Readonly<Record<string, string>>;

/** Commands with valid values, and malformed ones of the operand (`''`) and of the options. */
const COMMANDS: readonly (readonly [command: string, valid: Values, malformed: Values])[] = [
  ['init', { '--title': 'T' }, { '--title': LONG }],
  ['account create', { '--title': 'T' }, { '--title': '' }],
  ['account list', {}, { '--page-size': '101', '--page-token': 'x' }],
  ...['suspend', 'resume', 'export'].map((verb) => [`account ${verb}`, { '': ULID }, { '': 'x' }] as const),
  ['account delete --yes', { '': ULID }, { '': 'x' }],
  [
    'project create',
    { '--account': ULID, '--title': 'T' },
    { '--account': 'x', '--title': LONG, '--description': LONG, '--reference': '' },
  ],
  ['project list', { '--account': ULID }, { '--account': 'x', '--page-size': 'x', '--page-token': 'x' }],
  ['project update', { '': ULID }, { '': 'x', '--title': '', '--description': LONG, '--reference': 'a b' }],
  ['project delete --yes', { '': ULID }, { '': 'x' }],
  [
    'wallet create',
    WALLET,
    {
      '--project': 'x',
      '--title': LONG,
      '--network': 'x',
      '--address': '0x1',
      '--description': LONG,
      '--reference': '',
    },
  ],
  ['wallet list', { '--project': ULID }, { '--project': 'x', '--page-size': '0' }],
  [
    'wallet update',
    { '': ULID },
    { '': 'x', '--title': '', '--network': 'x', '--project': 'x', '--reference': LONG },
  ],
  ['wallet delete --yes', { '': ULID }, { '': 'x' }],
  ['address add', POOL, { '--account': 'x', '--network': 'x', '': 'missing' }],
  ['address list', POOL, { '--account': 'x', '--network': 'x', '--page-size': '0' }],
  ['address delete --yes', POOL, { '--account': 'x', '--network': 'x', '': 'missing' }],
  ['app create', { '--project': ULID, '--title': 'T' }, { '--project': 'x', '--title': LONG }],
  ['app list', { '--account': ULID }, { '--account': 'x', '--page-size': '0' }],
  ['app update', { '': ULID }, { '': 'x', '--title': '' }],
  ...['activate', 'deactivate'].map((verb) => [`app ${verb}`, { '': ULID }, { '': 'x' }] as const),
  ['app rotate-key', { '': ULID }, { '': 'x', '--grace': '8d' }],
  ['app delete --yes', { '': ULID }, { '': 'x' }],
  [
    'token create',
    { '--account': ULID },
    {
      '--account': 'x',
      '--expires-in': '9999d',
      '--title': LONG,
      '--project': 'x',
      '--only-project': 'x',
    },
  ],
  ['token list', {}, { '--account': 'x', '--ending': '14', '--page-size': '0' }],
  ['token revoke', {}, { '--id': 'x', '--app': 'x', '--account': 'x' }],
  [
    'audit list',
    {},
    { '--account': 'x', '--since': '9999d', '--until': 'x', '--action': 'x', '--resource': 'x' },
  ],
  ['import', { '--account': ULID, '': '-' }, { '--account': 'x', '': 'missing' }],
  ['restore', { '': 'missing' }, { '--account': 'x' }],
  ['migrate --distribute', {}, { '--shards': '0' }],
  ['copy', {}, { '--to': 'postgres://paw@127.0.0.1:1/paw?unknown=1' }],
];

const CASES = COMMANDS.flatMap(([command, valid, malformed]) =>
  Object.entries(malformed).map(([name, value]) => {
    const { '': operand, ...options } = { ...valid, [name]: value };
    const words = [...Object.entries(options).flat(), ...(operand === undefined ? [] : [operand])];
    return { command, name: name || 'the operand', words: [...command.split(' '), ...words] };
  }),
);

test.each(CASES)('$command refuses a malformed $name before it opens a database', async ({ name, words }) => {
  const folder = testFolder();
  // The one could be created, and the other can't be reached.
  const urls = [`sqlite:${join(folder, 'data/paw.db')}`, 'postgres://paw@127.0.0.1:1/paw'];
  for (const url of urls.slice(0, words[0] === 'copy' ? 1 : 2)) {
    const { status, stdout, stderr } = await paw(words, { DATABASE_URL: url });
    expect({ status, stdout, url }).toEqual({ status: 2, stdout: '', url });
    expect(stderr).toMatch(/^paw: (?!.*unavailable).+\n$/);
    expect(stderr).toMatch(name === 'the operand' ? /\bname: |missing/ : name.slice('--'.length));
  }
  expect(existsSync(join(folder, 'data'))).toBe(false);
});

// What a command, or another program, could take for the URL of a database, with a password.
const URLS = [
  'postgres://paw:hidden@host/paw',
  'POSTGRES://paw:hidden@host/paw',
  'PostgreSQL://paw:hidden@host',
  ' postgres://paw:hidden@host/paw',
  '"postgres://paw:hidden@host/paw"',
  'postgres:paw:hidden@host',
  'postgres:/paw:hidden@host/paw',
  'mysql://paw:hidden@host/paw',
  'paw:hidden@host/paw',
  '//paw:hidden@host/paw',
  'sqlite:postgres://paw:hidden@host/paw',
  'host=localhost user=paw password=hidden',
  "password = 'hidden' dbname=paw",
];

test.each(URLS)('a URL in the place of a file is refused, and not printed: %s', async (url) => {
  const folder = testFolder();
  const settings = { DATABASE_URL: `sqlite:${join(folder, 'data/paw.db')}` };
  const account = ['--account', ULID];
  // A URL that is well-formed is one of a server that can't be reached.
  const isSource = url === URLS[0];
  const commands: readonly (readonly [words: readonly string[], settings?: Values])[] = [
    [['backup', url]],
    [['restore', url]],
    [['import', ...account, url]],
    [['address', 'add', ...account, '--network', 'NETWORK_POLYGON', url]],
    [['serve'], { PAW_TRUSTED_DOCUMENTS: url }],
    [['serve'], { HOST: url }],
    ...(isSource ? [] : [[['restore', ...account, url]] as const, [['copy', '--to', url]] as const]),
    ...(isSource ? [] : [[['account', 'list'], { DATABASE_URL: url }] as const]),
    ...(isSource ? [] : [[['check'], { DATABASE_URL: `sqlite:${url}` }] as const]),
    [['check', `--${url}`]],
  ];
  for (const [words, others] of commands) {
    const { status, stdout, stderr } = await paw(words, { PORT: '0', ...settings, ...others });
    expect({ words, isFailed: status !== 0, stdout }).toEqual({ words, isFailed: true, stdout: '' });
    expect(stderr).toMatch(/^paw: .+\n$/);
    expect(stderr).not.toContain('hidden');
  }
  expect(existsSync(join(folder, 'data'))).toBe(false);
});

test('an error of a file names the file, and says what is wrong with it', async () => {
  const folder = testFolder();
  const database = join(folder, 'paw.db');
  const settings = { DATABASE_URL: `sqlite:${database}` };
  const { stdout } = await paw(['account', 'create', '--title', 'T', '--json'], settings);
  const { name } = JSON.parse(stdout);
  const [missing, inFile, text] = ['missing/x', 'text/x', 'text'].map((path) => join(folder, path));
  writeFileSync(String(text), 'This is a text. '.repeat(100));
  const files = ['import', ...['--account', name]];
  const addresses = ['address', 'add', '--account', name, '--network', 'NETWORK_POLYGON'];
  const expectError = async (words: readonly unknown[], reason: RegExp, others = {}) => {
    const { status, stderr } = await paw(words.map(String), { ...settings, ...others });
    expect(status).not.toBe(0);
    expect(stderr).toMatch(reason);
    const [file] = Object.values<string>(others).concat(String(words.at(-1)));
    expect(stderr).toContain(file?.replace(/^sqlite:/, ''));
  };
  for (const words of [files, addresses]) {
    await expectError([...words, missing], /can't be read: no such file or directory\.$/m);
    await expectError([...words, inFile], /can't be read: not a directory\.$/m);
    await expectError([...words, folder], /can't be read: it is a directory\.$/m);
  }
  await expectError(['backup', missing], /can't be copied to .*: no such file or directory\.$/m);
  await expectError(['backup', inFile], /can't be copied to .*: not a directory\.$/m);
  await expectError(['backup', folder], /exists/);
  for (const options of [[], ['--account', name]]) {
    await expectError(['restore', ...options, missing], /can't be read: no such file or directory\.$/m);
    await expectError(['restore', ...options, folder], /can't be read: it is a directory\.$/m);
    await expectError(['restore', ...options, text], /file is not a database/);
  }
  const copy = join(folder, 'copy.db');
  await paw(['backup', copy], settings);
  const to = (path: unknown) => ({ DATABASE_URL: `sqlite:${path}` });
  await expectError(['restore', copy], /can't be restored from .*: unable to open/, to(folder));
  await expectError(['restore', copy], /can't be restored from .*: not a directory\.$/m, to(inFile));
  await expectError(['check'], /can't be checked: /, to(folder));
  for (const words of [['account', 'list'], ['migrate']]) {
    await expectError(words, /illegal operation on a directory/, to(folder));
    await expectError(words, /file is not a database/, to(text));
    await expectError(words, /not a directory|does not exist/, to(inFile));
  }
  await expectError(['serve'], /must be a readable file/, { PAW_TRUSTED_DOCUMENTS: folder });
});
