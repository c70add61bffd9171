import { describe, expect, test } from 'vitest';
import { paw } from '../../support/paw.ts';

// Opening this database would fail, with status 1.
const SETTINGS = { DATABASE_URL: 'sqlite:/dev/null/paw.db' };

const PAGE = ['--page-size', '--page-token', '--all'];

const COMMANDS: readonly (readonly [name: string, mentions: readonly string[]])[] = [
  ['init', ['--title']],
  ['serve', []],
  ['demo', []],
  ['account create', ['--title']],
  ['project create', ['--account', '--title', '--description']],
  ['wallet create', ['--project', '--title', '--network', '--address', '--description']],
  [
    'token create',
    ['--account', '--project', '--only-project', '--read-only', '--title', '--expires-in', '90d'],
  ],
  ['token revoke', ['--id', '--app', '--account']],
  ['account list', PAGE],
  ['account suspend', ['<name>']],
  ['account resume', ['<name>']],
  ['account export', ['<name>']],
  ['account delete', ['<name>', '--yes', '--keep-audit']],
  ['project list', ['--account', ...PAGE]],
  ['project update', ['<name>', '--title', '--description']],
  ['project delete', ['<name>', '--yes']],
  ['wallet list', ['--project', ...PAGE]],
  ['wallet update', ['<name>', '--title', '--description', '--project', '--network']],
  ['wallet delete', ['<name>', '--yes']],
  ['token list', ['--account', ...PAGE]],
  ['app list', ['--account', ...PAGE]],
  ['app update', ['<name>', '--title']],
  ['app rotate-key', ['<name>', '--grace']],
  ['app delete', ['<name>', '--yes']],
  ['app activate', ['<name>']],
  ['app deactivate', ['<name>']],
  ['audit list', ['--account', '--since', '--until', '--resource', '--action', ...PAGE]],
  ['migrate', ['--dry-run']],
  ['check', []],
  ['backup', ['<file>']],
  ['restore', ['<file>']],
  ['copy', ['--to']],
];

describe('the help', () => {
  test.each(COMMANDS)('of %s names its arguments and no others', async (name, mentions) => {
    const { status, stdout, stderr } = await paw([...name.split(' '), '--help'], SETTINGS);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect((await paw(['help', ...name.split(' ')], SETTINGS)).stdout).toBe(stdout);
    for (const mention of [`paw ${name}`, '--json', ...mentions]) expect(stdout).toContain(mention);
    const options = stdout.match(/--[a-z-]+/g) ?? [];
    expect(options.filter((option) => ![...mentions, '--json'].includes(option))).toEqual([]);
  });

  test.each([[[]], [['--help']], [['-h']], [['help']], [['help', '--json']], [['--json', '--help']]])(
    'of paw, by %j, names every command',
    async (words) => {
      const { status, stdout, stderr } = await paw(words, SETTINGS);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      for (const [name] of COMMANDS) expect(stdout).toContain(`\n  ${name} `);
    },
  );
  test.each([
    [['account']],
    [['help', 'account']],
    [['account', '--help']],
    [['-h', 'account']],
    [['--json', '--help', 'account']],
  ])('of a resource, by %j, names its commands alone', async (words) => {
    const { status, stdout, stderr } = await paw(words, SETTINGS);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const listed = stdout.match(/^ {2}[a-z-]+( [a-z-]+)?/gm)?.map((line) => line.trim());
    const names = COMMANDS.map(([name]) => name);
    expect(listed?.sort()).toEqual(names.filter((name) => name.startsWith('account ')).sort());
  });
});

test.each([
  ['an unknown command', ['launch'], /Unknown command/],
  ['an unknown command of a resource', ['account', 'crate'], /Did you mean account create\?/],
  [
    'an unknown command of a resource that resembles none',
    ['account', 'nope'],
    /^paw: Unknown command\. See paw help account\.\n$/,
  ],
  ['a misspelt resource', ['acount'], /Did you mean account\?/],
  ['an unknown command that needs help', ['help', 'account', 'crate'], /Did you mean account create\?/],
  ['a misspelt command', ['acount', 'crate', '--title', 'x'], /Did you mean account create\?/],
  ['a misspelt command of one word', ['server', '--title'], /Did you mean serve\?/],
  ['an unknown option', ['account', 'create', '--title', 'x', '--colour', 'red'], /--colour/],
  [
    'a required option missing',
    ['wallet', 'create', '--project', 'p', '--title', 't', '--network', 'n'],
    /^paw: Missing --address\. Usage: paw wallet create --project <name> --title <text> --network <network> --address <address> \[options\]; see --help\.\n$/,
  ],
  ['several required options missing', ['project', 'create'], /Missing --account, --title\./],
  ['an option without its value', ['account', 'create', '--title'], /--title/],
  [
    'an option in place of the value of another',
    ['account', 'create', '--title', '--colour'],
    /^paw: Option '--title' argument is ambiguous\. Usage: paw account create --title <text> \[options\]; see --help\.\n$/,
  ],
  ['its operand missing', ['app', 'activate'], /Missing <name>\. Usage: paw app activate <name> /],
  ['a deletion that nobody can confirm', ['account', 'delete', 'accounts/a'], /--yes is required in scripts/],
  [
    'two of three options that exclude each other',
    ['token', 'revoke', '--id', 'a', '--app', 'apps/a'],
    /--id.+--app/,
  ],
  ['two operands', ['app', 'activate', 'apps/a', 'apps/b'], /Too many/],
  ['an operand that it does not take', ['account', 'create', 'Atlas', '--title', 'x'], /Too many/],
])('a command with %s ends with status 2 and one line, and opens no database', async (_, words, problem) => {
  const { status, stdout, stderr } = await paw(words, SETTINGS);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(/^paw: .+\n$/);
  expect(stderr).toMatch(problem);
  const asJson = await paw([...words, '--json'], SETTINGS);
  expect(asJson).toMatchObject({ status: 2, stdout: '' });
  expect(JSON.parse(asJson.stderr)).toMatchObject({
    error: { code: 400, details: [{ reason: 'INVALID_USAGE' }] },
  });
});
