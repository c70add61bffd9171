import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { VERSION } from '../../../src/config.ts';
import { paw } from '../../support/run-command.ts';

// Opening this database would fail, with status 1.
const SETTINGS = { DATABASE_URL: 'sqlite:/dev/null/paw.db' };

const PAGE = ['--page-size', '--page-token', '--all', '--wide'];

/** The commands in the tables of docs/commands.md, each with its operands and options. */
const COMMANDS = documentedCommands();

function documentedCommands(): readonly (readonly [name: string, mentions: readonly string[]])[] {
  const tables = [...pageText('commands.md').matchAll(/^\| command \| effect .*\n(?:\|.*\n)+/gm)].join('');
  const rows = [...tables.matchAll(/^\| `([a-z]+(?: [a-z][a-z-]*)?)([^`]*)`/gm)];
  const byName = Map.groupBy(rows, ([, name = '']) => name);
  return [...byName].map(([name, same]) => {
    const mentions = same.flatMap(([, , rest = '']) => rest.match(/--[a-z-]+|<(?:name|file)>/g) ?? []);
    return [name, name.endsWith(' list') ? [...mentions, ...PAGE] : mentions];
  });
}

function pageText(file: string): string {
  return readFileSync(new URL(`../../../docs/${file}`, import.meta.url), 'utf8');
}

describe('the help', () => {
  test.each(COMMANDS)(
    'of %s names the arguments in docs/commands.md and no others',
    async (name, mentions) => {
      const stdout = await helpOf([...name.split(' '), '--help']);
      expect(await helpOf(['help', ...name.split(' ')])).toBe(stdout);
      for (const mention of [`npm run -s paw -- ${name}`, '--json', ...mentions])
        expect(stdout).toContain(mention);
      const options = stdout.match(/--[a-z-]+/g) ?? [];
      expect(options.filter((option) => ![...mentions, '--json'].includes(option))).toEqual([]);
    },
  );

  test.each([
    ['', ''],
    ['--help', ''],
    ['-h', ''],
    ['help', ''],
    ['help --json', ''],
    ['--json --help', ''],
    ['account', 'account '],
    ['help account', 'account '],
    ['account --help', 'account '],
    ['-h account', 'account '],
    ['--json --help account', 'account '],
  ])('by "%s" names each command that begins with "%s", and no other', async (words, beginning) => {
    const listed = commandsIn(await helpOf(words.split(' ').filter(Boolean)));
    const names = COMMANDS.map(([name]) => name);
    expect(listed.sort()).toEqual(names.filter((name) => name.startsWith(beginning)).sort());
  });

  test('begins with six commands, and has the settings of docs/running.md in the same two groups', async () => {
    const help = await helpOf([]);
    const [, common = '', settings = '', tuning = ''] =
      /^Most used:\n(.*?)^Accounts:\n.*^Settings [^\n]*\n(.*?)^Tuning [^\n]*\n(.*)/ms.exec(help) ?? [];
    expect(commandsIn(common)).toEqual(['init', 'serve', 'demo', 'app create', 'token create', 'backup']);
    const [, main = '', others = ''] =
      /^## Settings$(.*?)^### Tuning$(.*?)^## /ms.exec(pageText('running.md')) ?? [];
    const rowsOf = (text: string) => [...text.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name]) => name);
    expect([...settings.matchAll(/^ {2}([A-Z_]+) /gm)].map(([, name]) => name)).toEqual(rowsOf(main));
    expect(tuning.trim().split(/\s+/)).toEqual(rowsOf(others).sort());
  });

  test.each(['serve --help', 'demo --help'])('by "%s" names HOST and PORT', async (words) => {
    const help = await helpOf(words.split(' '));
    expect(help).toMatch(/\bHOST and PORT\b/);
  });
});

test.each([
  ['an unknown command', 'launch', 'Unknown command: launch. See "npm run -s paw -- help".'],
  ['a short word that is no command', 'nope', 'Unknown command: nope. See "npm run -s paw -- help".'],
  ['a misspelt command', 'inti', 'Unknown command: inti. Did you mean init? See'],
  ['a misspelt resource', 'wallets list', 'Unknown command: wallets. Did you mean wallet? See'],
  [
    'a misspelt command of a resource',
    'account crate --title x',
    'Unknown command: account crate. Did you mean account create? See "npm run -s paw -- help account".',
  ],
  [
    'an unknown command that needs help',
    'help account launch',
    'Unknown command: account launch. See "npm run -s paw -- help account".',
  ],
  ['a secret in place of a command', 'paw_key_01', 'Unknown command. See "npm run -s paw -- help".'],
  ['an unknown option', 'account create --title x --colour red', "Unknown option '--colour'. Usage:"],
  ['a misspelt option', 'account create --titel x', "Unknown option '--titel'. Did you mean --title? Usage:"],
  [
    'a setting in place of an option',
    'serve --port 80',
    "Unknown option '--port'. Set the variable PORT instead. Usage:",
  ],
  [
    'a setting with a value',
    'check --log-level=debug',
    "Unknown option '--log-level'. Set the variable LOG_LEVEL ",
  ],
  [
    'a setting of the gateway',
    'demo --metrics-port 9',
    "Unknown option '--metrics-port'. Set the variable PAW_METRICS_PORT ",
  ],
  [
    'a part of a setting',
    'check --database x',
    "Unknown option '--database'. Set the variable DATABASE_URL ",
  ],
  ['a URL in place of an option', 'check --postgres://u:p@h', 'Unknown option. Usage:'],
  [
    'an option in place of the name of a resource',
    'token create --account a --only-project --project p',
    'Missing the name after --only-project. Usage:',
  ],
  ['a required option missing', 'wallet create --project p --title t --network n', 'Missing --address.'],
  ['several required options missing', 'project create', 'Missing --account, --title.'],
  ['an option without its value', 'account create --title', "Option '--title <value>' argument missing"],
  // The title is "--help".
  ['a value that is like an option', 'account create --title --help --colour', "Unknown option '--colour'"],
  ['its operand missing', 'app activate', 'Missing <name>. Usage: npm run -s paw -- app activate <name> '],
  ['a deletion that nobody can confirm', 'account delete accounts/a', '--yes is required in scripts'],
  [
    'two of three options that exclude each other',
    'token revoke --id a --app apps/a',
    'Use only one of --id,',
  ],
  ['two operands', 'app activate apps/a apps/b', 'Too many arguments'],
  ['an operand that it does not take', 'account create Atlas --title x', 'Too many arguments'],
])(
  'a command with %s ends with status 2 and one line, and opens no database',
  async (_, command, problem) => {
    const words = command.split(' ');
    const { status, stdout, stderr } = await paw(words, SETTINGS);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^paw: .+\n$/);
    expect(stderr).toContain(`paw: ${problem}`);
    const asJson = await paw(words.toSpliced(2, 0, '--json'), SETTINGS);
    expect(asJson).toMatchObject({ status: 2, stdout: '' });
    expect(JSON.parse(asJson.stderr)).toMatchObject({
      error: { code: 400, details: [{ reason: 'INVALID_USAGE' }] },
    });
  },
);

test.each(['--version', '-v', '-V'])('%s prints the version', async (word) => {
  expect(await paw([word], SETTINGS)).toEqual({ status: 0, stdout: `${VERSION}\n`, stderr: '' });
  const { stdout } = await paw([word, '--json'], SETTINGS);
  expect(JSON.parse(stdout)).toEqual({ version: VERSION });
});

/** Returns a help, which fits 80 columns. */
async function helpOf(words: readonly string[]): Promise<string> {
  const { status, stdout, stderr } = await paw(words, SETTINGS);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  return stdout;
}

/** Returns the names of the commands that a help lists. */
function commandsIn(help: string): string[] {
  return [...help.matchAll(/^ {2}([a-z-]+(?: [a-z-]+)?)/gm)].map(([, name = '']) => name);
}
