import { parseArgs } from 'node:util';
import { VERSION, variableOf } from '../../config.ts';
import { parseUlid } from '../../model/resource-name.ts';
import { accountCommands } from '../account-commands.ts';
import { addressCommands } from '../address-commands.ts';
import { appCommands } from '../app-commands.ts';
import { auditList } from '../audit-list.ts';
import { backup, restore } from '../backup.ts';
import { check } from '../check.ts';
import { copy } from '../copy.ts';
import { demo } from '../demo.ts';
import { importCommand } from '../import.ts';
import { init } from '../init.ts';
import { migrate } from '../migrate.ts';
import { projectCommands } from '../project-commands.ts';
import { serve } from '../serve.ts';
import { tokenCommands } from '../token-commands.ts';
import { walletCommands } from '../wallet-commands.ts';
import { type Arguments, type Command, JSON_OPTION, UsageError } from './command.ts';
import { commandHelp, type Group, overview, resourceHelp, usage } from './help.ts';
import { reportError } from './report-error.ts';
import { toJson } from './safe-output.ts';
import { endOnSignals } from './signals.ts';
import { readLine } from './standard-input.ts';
import { suggestion } from './suggestion.ts';
import { TERMINAL, type Terminal } from './terminal.ts';

const HELP: readonly string[] = ['--help', '-h'];

const PROGRAM_VERSION: readonly string[] = ['--version', '-v', '-V'];

const GROUPS: readonly Group[] = [
  ['Accounts', [...accountCommands, importCommand]],
  ['Projects, wallets and addresses', [...projectCommands, ...walletCommands, ...addressCommands]],
  ['Apps, tokens and audit', [...appCommands, ...tokenCommands, auditList]],
  ['Database', [migrate, check, backup, restore, copy]],
];

const COMMANDS = [init, serve, demo, ...GROUPS.flatMap(([, commands]) => commands)];

/** The commands that the help lists first. */
const COMMON: readonly string[] = ['init', 'serve', 'demo', 'app create', 'token create', 'backup'];

const OPERAND = /[<[](\w+)[>\]]$/;

// A possible misspelt command. Any other word can be a secret that was pasted to the wrong place.
const COMMAND_WORD = /^[a-z-]{1,20}$/;

// A possible option. Any other word can be a URL with a password.
const OPTION = /^[a-z-]{1,30}$/i;

const OPTIONS_WITH_VALUE = new Set(
  COMMANDS.flatMap(({ options = {} }) =>
    Object.keys(options).flatMap((name) => (options[name]?.type === 'string' ? [`--${name}`] : [])),
  ),
);

/** Runs a command and sets the exit status: 0 for success, 2 for a usage error, 1 for all other errors. */
export async function runCommandLine(args: readonly string[], terminal = TERMINAL): Promise<void> {
  endOnSignals();
  const words = joinValues(args);
  try {
    await run(words, terminal);
  } catch (error) {
    terminal.progress('');
    process.exitCode = reportError(error, words.includes('--json'));
  }
}

/** Joins each option with its value, as in `--title=-h`. The value can then be like an option. */
function joinValues(words: readonly string[]): readonly string[] {
  const joined: string[] = [];
  for (const word of words) {
    const option = joined.at(-1) ?? '';
    if (OPTIONS_WITH_VALUE.has(option)) joined.splice(-1, 1, `${option}=${word}`);
    else joined.push(word);
  }
  return joined;
}

async function run(words: readonly string[], terminal: Terminal): Promise<void> {
  const printLine = (text: string) => terminal.write(`${text}\n`);
  if (PROGRAM_VERSION.includes(words[0] ?? '')) {
    return printLine(words.includes('--json') ? JSON.stringify({ version: VERSION }) : VERSION);
  }
  const isHelp = words[0] === 'help' || words.some((word) => HELP.includes(word));
  const others = isHelp ? words.filter((word) => word !== 'help' && !word.startsWith('-')) : words;
  const command = COMMANDS.find((each) => `${others.join(' ')} `.startsWith(`${wordsOf(each)} `));
  const [resource] = others;
  if (command === undefined) {
    return printLine(
      resource === undefined ? overview(helpGroups()) : resourceHelp(resource, commandsOf(others)),
    );
  }
  if (isHelp) return printLine(commandHelp(command));
  const args = readArguments(command, others.slice(wordsOf(command).split(' ').length), terminal);
  if (command.options?.['yes'] && !args.isSet('yes')) await confirmDeletion(command, args);
  await command.run(args);
}

/** Returns the words that call a command. */
function wordsOf({ synopsis }: Command): string {
  return synopsis.replace(OPERAND, '').trimEnd();
}

/** Returns the common commands, and all others in their groups. */
function helpGroups(): readonly Group[] {
  const isCommon = (command: Command) => COMMON.includes(wordsOf(command));
  return [
    ['Most used', COMMANDS.filter(isCommon)],
    ...GROUPS.map(([heading, commands]): Group => [heading, commands.filter((each) => !isCommon(each))]),
  ];
}

/** Returns the commands of a resource. @throws UsageError if there is no such resource */
function commandsOf([resource = '', verb]: readonly string[]): readonly Command[] {
  const commands = COMMANDS.filter(({ synopsis }) => synopsis.startsWith(`${resource} `));
  const isResource = commands.length > 0;
  if (isResource && verb === undefined) return commands;
  const prefix = isResource ? `${resource} ` : '';
  const word = (isResource ? verb : resource) ?? '';
  const known = (isResource ? commands : COMMANDS).map(
    ({ synopsis }) => synopsis.slice(prefix.length).split(' ')[0] ?? '',
  );
  const named = COMMAND_WORD.test(word) ? `: ${prefix}${word}.${suggestion(word, known, prefix)}` : '.';
  throw new UsageError(`Unknown command${named} See "paw help${isResource ? ` ${resource}` : ''}".`);
}

/** Asks whether to delete. @throws UsageError if it can't ask */
async function confirmDeletion(command: Command, { isJson, terminal, values, readLine }: Arguments) {
  if (isJson || !terminal.isInteractive()) throw usageError(command, '--yes is required in scripts');
  const answer = await readLine(
    `Delete ${values['name'] ?? 'these addresses'}? This can't be undone. [y/N] `,
  );
  if (!/^y(es)?$/i.test(answer)) throw new Error('Nothing was deleted.');
}

function readArguments(command: Command, words: readonly string[], terminal: Terminal): Arguments {
  const { synopsis, options = {} } = command;
  const operand = OPERAND.exec(synopsis)?.[1];
  const { values, positionals } = parse(command, words);
  const noName = Object.entries(values).find(
    ([name, value]) => options[name]?.collection && String(value).startsWith('-'),
  );
  if (noName) throw usageError(command, `Missing the name after --${noName[0]}`);
  const missing = Object.keys(options).filter(
    (name) => options[name]?.required && values[name] === undefined,
  );
  if (missing.length > 0) throw usageError(command, `Missing --${missing.join(', --')}`);
  if (synopsis.includes('<') && positionals.length === 0) throw usageError(command, `Missing <${operand}>`);
  if (positionals.length > (operand ? 1 : 0)) throw usageError(command, 'Too many arguments');
  const texts = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== true);
  const isJson = values['json'] === true;
  const named = texts.map(([name, text]) => [name, nameOf(text, options[name]?.collection)]);
  // The resource of a command such as `wallet update <name>`.
  const collection = operand === 'name' ? `${synopsis.split(' ')[0]}s` : undefined;
  return {
    values: Object.fromEntries([...named, ...positionals.map((text) => [operand, nameOf(text, collection)])]),
    isSet: (name) => values[name] === true,
    isJson,
    terminal,
    readLine(question) {
      if (terminal.isInteractive() && !isJson) terminal.write(question);
      return readLine(process.stdin);
    },
    print(object, text) {
      terminal.progress('');
      terminal.write(`${isJson ? toJson(object) : text}\n`);
    },
    note(line) {
      if (!isJson) console.error(line);
    },
  };
}

/** Returns the name of a resource that is given by its ULID alone. */
function nameOf(text: string, collection: string | undefined): string {
  return collection && parseUlid(text) ? `${collection}/${text}` : text;
}

function parse(command: Command, args: readonly string[]) {
  const options: Command['options'] = { ...command.options, ...JSON_OPTION };
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    // The first sentence of Node's message describes the error. The others explain how to escape the argument.
    const [sentence = ''] = error instanceof Error ? error.message.split(/\.\s/) : [];
    const [, unknown] = /^Unknown option '--?(.*)'/s.exec(sentence) ?? [];
    if (unknown === undefined) throw usageError(command, sentence);
    if (!OPTION.test(unknown)) throw usageError(command, 'Unknown option');
    const variable = variableOf(unknown);
    const meant = variable
      ? ` Set the variable ${variable} instead.`
      : suggestion(unknown, Object.keys(options), '--');
    throw usageError(command, sentence, meant);
  }
}

function usageError(command: Command, problem: string, meant = ''): UsageError {
  return new UsageError(`${problem}.${meant} Usage: ${usage(command)}; see --help.`);
}
