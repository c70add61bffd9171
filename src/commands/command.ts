import type { Terminal } from './terminal.ts';

/** An option of a command, `--name value` or `--name`. */
export type Option = {
  /** The placeholder of the value in the help, such as `<name>`. Omitted if the option has no value. */
  readonly value?: string;
  readonly description: string;
  readonly required?: boolean;
};

/** The options that name the parent of a resource. */
export const ACCOUNT = { value: '<name>', description: 'The account, accounts/<ULID>.', required: true };
export const PROJECT = { value: '<name>', description: 'The project, projects/<ULID>.', required: true };

/** The options for the text of a new resource. */
export const TEXT = {
  title: { value: '<text>', description: 'The title, 1 to 200 characters.', required: true },
  description: { value: '<text>', description: 'A short description, up to 2,000 characters.' },
};

/** The options for a new text of a resource. */
export const NEW_TEXT = {
  title: { value: '<text>', description: 'The new title, 1 to 200 characters.' },
  description: { value: '<text>', description: 'The new description, up to 2,000 characters.' },
};

/** The option of a command that deletes something. A command with it asks first, if a person can answer. */
export const YES: Option = { description: 'Deletes without a question. Required in scripts.' };

/** The parsed arguments of a command. */
export type Arguments = {
  /** Returns the value of an option, or undefined if the option is omitted. */
  optional(option: string): string | undefined;
  /** Returns whether an option without a value is set. */
  isSet(option: string): boolean;
  /** The value of the positional argument, or an empty string if the command has none. */
  readonly operand: string;
  /** Whether `--json` is set: the command prints one JSON object and nothing else. */
  readonly isJson: boolean;
  readonly terminal: Terminal;
  /** Prints the question if a person can answer it, and reads the first line of standard input. */
  readLine(question: string): Promise<string>;
  /** Prints the result of the command: the object as JSON with `--json`, otherwise the text. */
  print(object: object, text: string): void;
  /** Prints a line on standard error, unless `--json` is set. */
  note(line: string): void;
};

/** A subcommand of `paw`. */
export type Command = {
  /** The name, such as `account create`. */
  readonly name: string;
  readonly summary: string;
  /** The name of the positional argument, if the command has one. */
  readonly operand?: string;
  readonly options: Readonly<Record<string, Option>>;
  run(args: Arguments): Promise<void>;
};

/** Thrown for invalid arguments of a command. The message is one line. */
export class UsageError extends Error {}
