import { parseArgs } from 'node:util';
import { ConfigError } from '../config.ts';
import { ApiError } from '../model/api-error.ts';
import { restErrorBody } from '../rest/error-body.ts';
import { VERSION } from '../version.ts';
import { WorkerFailed } from '../workers.ts';
import { accountCreate } from './account-create.ts';
import { appActivate, appDeactivate } from './app-activate.ts';
import { appList } from './app-list.ts';
import { type Arguments, type Command, UsageError } from './command.ts';
import { copy } from './copy.ts';
import { demo } from './demo.ts';
import { commandHelp, overview } from './help.ts';
import { migrate } from './migrate.ts';
import { projectCreate } from './project-create.ts';
import { serve } from './serve.ts';
import { tokenCreate } from './token-create.ts';
import { tokenRevoke } from './token-revoke.ts';
import { walletCreate } from './wallet-create.ts';

const COMMANDS: readonly Command[] = [
  serve,
  demo,
  accountCreate,
  projectCreate,
  walletCreate,
  tokenCreate,
  tokenRevoke,
  appList,
  appActivate,
  appDeactivate,
  migrate,
  copy,
];

/** Runs the command that `words` name, and sets the exit status. */
export async function runCommandLine(words: readonly string[]): Promise<void> {
  try {
    await run(words);
  } catch (error) {
    if (!(error instanceof WorkerFailed)) console.error(words.includes('--json') ? json(error) : line(error));
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}

async function run(words: readonly string[]): Promise<void> {
  if (words[0] === '--version') {
    console.log(words.includes('--json') ? JSON.stringify({ version: VERSION }) : VERSION);
    return;
  }
  const command = COMMANDS.find(({ name }) => name === words.slice(0, name.split(' ').length).join(' '));
  if (command === undefined) {
    if (words.length > 0 && !['--help', '-h', 'help'].includes(words[0] ?? '')) {
      throw new UsageError(`There is no such command. See paw --help.`);
    }
    console.log(overview(COMMANDS));
    return;
  }
  const rest = words.slice(command.name.split(' ').length);
  if (rest.includes('--help') || rest.includes('-h')) {
    console.log(commandHelp(command));
    return;
  }
  await command.run(readArguments(command, rest));
}

function readArguments(command: Command, words: readonly string[]): Arguments {
  const { values, positionals } = parse(command, words);
  const json = values['json'] === true;
  for (const [name, { required }] of Object.entries(command.options)) {
    if (required && values[name] === undefined) throw usage(command, `--${name} is required`);
  }
  const [operand] = positionals;
  if (command.operand && operand === undefined) throw usage(command, `<${command.operand}> is required`);
  if (positionals.length > (command.operand ? 1 : 0)) throw usage(command, 'there are too many arguments');

  const optional = (name: string) => {
    const value = values[name];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    optional,
    required: (name) => optional(name) ?? '',
    operand: operand ?? '',
    json,
    environment: process.env,
    print: (object, text) => console.log(json ? JSON.stringify(object) : text),
  };
}

function parse(command: Command, words: readonly string[]) {
  const options: Record<string, { type: 'string' | 'boolean' }> = { json: { type: 'boolean' } };
  for (const name of Object.keys(command.options)) options[name] = { type: 'string' };
  try {
    return parseArgs({ args: [...words], allowPositionals: true, options });
  } catch (error) {
    // Node's own sentences; the first says what is wrong, the others how to escape it.
    const [sentence = ''] = error instanceof Error ? error.message.split('. ') : [];
    throw usage(command, sentence);
  }
}

function usage(command: Command, problem: string): UsageError {
  return new UsageError(`${problem}. See paw ${command.name} --help.`);
}

/** An error as one line, without a stack. */
function line(error: unknown): string {
  return `paw: ${describe(error).replaceAll('\n', ' ')}`;
}

/** An error as one JSON object, in the shape that the REST API has. */
function json(error: unknown): string {
  if (error instanceof ApiError) {
    const { status, reason, fieldViolations } = error;
    return restErrorBody(new ApiError({ status, reason, fieldViolations, message: describe(error) }));
  }
  const isInput = error instanceof UsageError || error instanceof ConfigError;
  return restErrorBody(
    new ApiError({
      status: isInput ? 'INVALID_ARGUMENT' : 'INTERNAL',
      reason: isInput ? 'INVALID_USAGE' : 'COMMAND_FAILED',
      message: describe(error),
    }),
  );
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!(error instanceof ApiError) || error.status !== 'UNAVAILABLE') return error.message;
  // The operator sees the error of the database, which clients do not.
  const { cause } = error;
  const reason = cause instanceof Error ? cause.message || ('code' in cause && cause.code) : cause;
  return `The database does not answer: ${reason}.`;
}
