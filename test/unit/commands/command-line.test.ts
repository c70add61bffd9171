import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { paw } from '../../support/paw.ts';

// Opening this database would fail, with status 1.
const SETTINGS = { DATABASE_URL: 'sqlite:/dev/null/paw.db' };

const PAGE = ['--page-size', '--page-token', '--all', '--wide'];

/** The commands in the tables of docs/commands.md, each with its operands and options. */
const COMMANDS = documentedCommands();

function documentedCommands(): readonly (readonly [name: string, mentions: readonly string[]])[] {
  const page = readFileSync(new URL('../../../docs/commands.md', import.meta.url), 'utf8');
  const tables = [...page.matchAll(/^\| command \| effect .*\n(?:\|.*\n)+/gm)].join('');
  const rows = [...tables.matchAll(/^\| `([a-z]+(?: [a-z][a-z-]*)?)([^`]*)`/gm)];
  const byName = Map.groupBy(rows, ([, name = '']) => name);
  return [...byName].map(([name, same]) => {
    const mentions = same.flatMap(([, , rest = '']) => rest.match(/--[a-z-]+|<(?:name|file)>/g) ?? []);
    return [name, name.endsWith(' list') ? [...mentions, ...PAGE] : mentions];
  });
}

test('docs/commands.md has every command', async () => {
  const { stdout } = await paw(['help'], SETTINGS);
  const listed = [...stdout.matchAll(/^ {2}([a-z-]+(?: [a-z-]+)?)/gm)].map(([, name]) => name);
  expect(COMMANDS.map(([name]) => name).toSorted()).toEqual(listed.toSorted());
});

describe('the help', () => {
  test.each(COMMANDS)(
    'of %s names the arguments in docs/commands.md and no others',
    async (name, mentions) => {
      const { status, stdout, stderr } = await paw([...name.split(' '), '--help'], SETTINGS);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect((await paw(['help', ...name.split(' ')], SETTINGS)).stdout).toBe(stdout);
      for (const mention of [`paw ${name}`, '--json', ...mentions]) expect(stdout).toContain(mention);
      expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
      const options = stdout.match(/--[a-z-]+/g) ?? [];
      expect(options.filter((option) => ![...mentions, '--json'].includes(option))).toEqual([]);
    },
  );

  test.each([[[]], [['--help']], [['-h']], [['help']], [['help', '--json']], [['--json', '--help']]])(
    'of paw, by %j, names every command',
    async (words) => {
      const { status, stdout, stderr } = await paw(words, SETTINGS);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      for (const [name] of COMMANDS) expect(stdout).toContain(`\n  ${name} `);
      expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
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
  ['an unknown command', ['launch'], /^paw: Unknown command\. See paw help\.\n$/],
  [
    'an unknown command of a resource',
    ['account', 'crate', '--title', 'x'],
    /^paw: Unknown command\. See paw help account\.\n$/,
  ],
  ['an unknown command that needs help', ['help', 'account', 'crate'], /See paw help account\./],
  ['an unknown option', ['account', 'create', '--title', 'x', '--colour', 'red'], /--colour/],
  [
    'a required option missing',
    ['wallet', 'create', '--project', 'p', '--title', 't', '--network', 'n'],
    /^paw: Missing --address\. Usage: paw wallet create --project <name> --title <text> --network <network> --address <address> \[options\]; see --help\.\n$/,
  ],
  ['several required options missing', ['project', 'create'], /Missing --account, --title\./],
  ['an option without its value', ['account', 'create', '--title'], /--title/],
  [
    'an option that is the value of another',
    ['account', 'create', '--title', '--help', '--colour'],
    /^paw: Unknown option '--colour'\. Usage: paw account create --title <text> \[options\]; see --help\.\n$/,
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
  const asJson = await paw(words.toSpliced(2, 0, '--json'), SETTINGS);
  expect(asJson).toMatchObject({ status: 2, stdout: '' });
  expect(JSON.parse(asJson.stderr)).toMatchObject({
    error: { code: 400, details: [{ reason: 'INVALID_USAGE' }] },
  });
});
