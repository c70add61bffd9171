import { statSync } from 'node:fs';
import { systemMessage } from '../../model/errors.ts';
import type { Collection } from '../../model/resource-name.ts';
import { isUrl } from '../../storage/database-url.ts';
import type { Terminal } from './terminal.ts';

export type Option = {
  readonly type: 'string' | 'boolean';
  /** The placeholder of the value in the help, such as `<name>`. */
  readonly value?: string;
  readonly description: string;
  readonly required?: boolean;
  /** The collection of the resource that it names, whose ULID alone is accepted, too. */
  readonly collection?: Collection;
};

export const optionalOption = (value: string, description: string): Option => ({
  type: 'string',
  value,
  description,
});

export const requiredOption = (value: string, text: string): Option => ({
  ...optionalOption(value, text),
  required: true,
});

export const flag = (description: string): Option => ({ type: 'boolean', description });

export const nameOption = (collection: Collection, description: string): Option => ({
  ...optionalOption('<name>', description),
  collection,
});

export const ACCOUNT_OPTION = { ...nameOption('accounts', 'The account, accounts/<ULID>.'), required: true };
export const PROJECT_OPTION = { ...nameOption('projects', 'The project, projects/<ULID>.'), required: true };

export const TEXT_OPTIONS = {
  title: requiredOption('<text>', 'The title, 1 to 200 characters.'),
  description: optionalOption('<text>', 'A short description, up to 2,000 characters.'),
  reference: optionalOption('<text>', 'Your own name for it, 1 to 64 characters.'),
};

export const NEW_TEXT_OPTIONS = {
  title: optionalOption('<text>', 'The new title, 1 to 200 characters.'),
  description: optionalOption('<text>', 'The new description, up to 2,000 characters.'),
  reference: optionalOption('<text>', 'Your own new name for it. An empty text removes it.'),
};

/** The option that every command has. */
export const JSON_OPTION = { json: flag('Prints a single JSON object.') };

/** The option of a command that deletes something. On a terminal, a command with it asks first. */
export const YES_OPTION = flag('Deletes without asking for confirmation. Required in scripts.');

export type Arguments = {
  /** The values of the options that have one, and of the positional argument, by their names. */
  readonly values: Readonly<Record<string, string>>;
  isSet(option: string): boolean;
  /** Whether `--json` is set: the command prints one JSON object and nothing else. */
  readonly isJson: boolean;
  readonly terminal: Terminal;
  /** Prints the question if interactive, and reads the first line of standard input. */
  readLine(question: string): Promise<string>;
  /** Prints the result of the command: the object as JSON with `--json`, otherwise the text. */
  print(object: object, text: string): void;
  /** Prints a line on standard error, unless `--json` is set. */
  note(line: string): void;
};

export type Command = {
  /** Its words, and its positional argument if it has one: `<name>`, or `[file]` if it may be left out. */
  readonly synopsis: string;
  readonly summary: string;
  readonly options?: Readonly<Record<string, Option>>;
  run(args: Arguments): Promise<void>;
};

/** Thrown for invalid arguments of a command. The message is one line. */
export class UsageError extends Error {}

/** Returns the value of `<file>`. @param orUrl which URL it can be as well @throws UsageError if it is another URL */
export function fileIn({ file = '' }: Arguments['values'], orUrl = ''): string {
  if (!isUrl(file)) return file;
  throw new UsageError(
    `<file> must be a file${orUrl}. The name of one that looks like a URL begins with ./.`,
  );
}

/** Returns the value of `<file>`, which exists. @param orUrl as above @throws UsageError if it can't be read */
export function readableFileIn(values: Arguments['values'], orUrl = ''): string {
  const file = fileIn(values, orUrl);
  try {
    if (!statSync(file).isDirectory()) return file;
  } catch (error) {
    throw unreadable(file, error);
  }
  throw unreadable(file, 'it is a directory');
}

/** Returns the error for a file that can't be read. */
export function unreadable(file: string, error: unknown): UsageError {
  return new UsageError(`${file} can't be read: ${systemMessage(error)}.`);
}

/** Runs `work` on files. @param failure what an error of the system or of SQLite means, with the names of the files */
export async function onFiles<T>(failure: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || !('errno' in error || 'errcode' in error)) throw error;
    throw new Error(`${failure}: ${systemMessage(error)}.`, { cause: error });
  }
}
