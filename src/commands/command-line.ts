import { parseArgs } from 'node:util';
import { ConfigError } from '../config.ts';
import { toApiError } from '../data/to-api-error.ts';
import { errorBody } from '../http/error-body.ts';
import { ApiError, describeCause } from '../model/api-error.ts';
import { nearestName } from '../nearest-name.ts';
import { DatabaseError } from '../storage/errors.ts';
import { VERSION } from '../version.ts';
import { WorkerStartError } from '../workers.ts';
import { accountCommands } from './account-commands.ts';
import { appCommands } from './app-commands.ts';
import { auditList } from './audit-list.ts';
import { backup, restore } from './backup.ts';
import { check } from './check.ts';
import { type Arguments, type Command, UsageError } from './command.ts';
import { copy } from './copy.ts';
import { demo } from './demo.ts';
import { commandHelp, overview } from './help.ts';
import { migrate } from './migrate.ts';
import { projectCommands } from './project-commands.ts';
import { serve } from './serve.ts';
import { readLine } from './standard-input.ts';
import { tokenCommands } from './token-commands.ts';
import { walletCommands } from './wallet-commands.ts';

const COMMANDS: readonly Command[] = [
  serve,
  demo,
  ...accountCommands,
  ...projectCommands,
  ...walletCommands,
  ...appCommands,
  ...tokenCommands,
  auditList,
  migrate,
  check,
  backup,
  restore,
  copy,
];

/**
 * Runs a command and sets the exit status: 0 for success, 2 for a usage error, 1 for all other errors.
 *
 * @param args the command line, without the name of the program
 */
export async function runCommandLine(args: readonly string[]): Promise<void> {
  try {
    await run(args);
  } catch (thrown) {
    const error = thrown instanceof DatabaseError ? toApiError(thrown) : thrown;
    // A worker has already printed its error.
    if (!(error instanceof WorkerStartError)) {
      console.error(args.includes('--json') ? formatJson(error) : formatLine(error));
    }
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}

async function run(args: readonly string[]): Promise<void> {
  if (args[0] === '--version') {
    console.log(args.includes('--json') ? JSON.stringify({ version: VERSION }) : VERSION);
    return;
  }
  const command = COMMANDS.find(({ name }) => name === args.slice(0, name.split(' ').length).join(' '));
  if (command === undefined) {
    if (args.length > 0 && !['--help', '-h', 'help'].includes(args[0] ?? '')) {
      throw unknownCommand(args);
    }
    console.log(overview(COMMANDS));
    return;
  }
  const rest = args.slice(command.name.split(' ').length);
  if (rest.includes('--help') || rest.includes('-h')) {
    console.log(commandHelp(command));
    return;
  }
  await command.run(readArguments(command, rest));
}

function unknownCommand(args: readonly string[]): UsageError {
  const names = COMMANDS.map(({ name }) => name);
  const nearest = nearestName(args.slice(0, 2).join(' '), names) ?? nearestName(args[0] ?? '', names);
  return new UsageError(`Unknown command.${nearest ? ` Did you mean ${nearest}?` : ''} See paw --help.`);
}

function readArguments(command: Command, args: readonly string[]): Arguments {
  const { values, positionals } = parse(command, args);
  const json = values['json'] === true;
  for (const [name, { required }] of Object.entries(command.options)) {
    if (required && values[name] === undefined) throw usageError(command, `--${name} is required`);
  }
  const [operand] = positionals;
  if (command.operand && operand === undefined) throw usageError(command, `<${command.operand}> is required`);
  if (positionals.length > (command.operand ? 1 : 0)) throw usageError(command, 'too many arguments');

  const optional = (name: string) => {
    const value = values[name];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    optional,
    isSet: (name) => values[name] === true,
    operand: operand ?? '',
    environment: process.env,
    readLine: () => readLine(process.stdin),
    print: (object, text) => console.log(json ? JSON.stringify(object) : text),
    printJsonLine: (object) => console.log(JSON.stringify(object)),
  };
}

function parse(command: Command, args: readonly string[]) {
  const options: Record<string, { type: 'string' | 'boolean' }> = { json: { type: 'boolean' } };
  for (const [name, { value }] of Object.entries(command.options)) {
    options[name] = { type: value === undefined ? 'boolean' : 'string' };
  }
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    // The first sentence of Node's message describes the error. The others explain how to escape the argument.
    const [sentence = ''] = error instanceof Error ? error.message.split('. ') : [];
    throw usageError(command, sentence);
  }
}

function usageError(command: Command, problem: string): UsageError {
  return new UsageError(`${problem}. See paw ${command.name} --help.`);
}

/** Formats an error as one line, without a stack trace. */
function formatLine(error: unknown): string {
  return `paw: ${describe(error).replaceAll('\n', ' ')}`;
}

/** Formats an error as one JSON object, with the format of REST errors. */
function formatJson(error: unknown): string {
  if (error instanceof ApiError) {
    const { status, reason, fieldViolations } = error;
    return errorBody(new ApiError(status, reason, describe(error), { fieldViolations }));
  }
  const isInput = error instanceof UsageError || error instanceof ConfigError;
  const [status, reason] = isInput
    ? (['INVALID_ARGUMENT', 'INVALID_USAGE'] as const)
    : (['INTERNAL', 'COMMAND_FAILED'] as const);
  return errorBody(new ApiError(status, reason, describe(error)));
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!(error instanceof ApiError) || error.status !== 'UNAVAILABLE') return error.message;
  // The operator sees the error of the database. Clients do not.
  return `The database is unavailable: ${describeCause(error)}.`;
}
