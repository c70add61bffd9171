/** An option of a command, `--name value` or `--name`. */
export type Option = {
  /** The placeholder of the value in the help, such as `<name>`. Omitted if the option has no value. */
  readonly value?: string;
  readonly description: string;
  readonly required?: boolean;
};

/** The option of a command that deletes something. */
export const YES: Option = { description: 'Confirms the deletion.', required: true };

/** The parsed arguments of a command. */
export type Arguments = {
  /** Returns the value of a required option. */
  required(option: string): string;
  /** Returns the value of an option, or undefined if the option is omitted. */
  optional(option: string): string | undefined;
  /** Returns whether an option without a value is set. */
  isSet(option: string): boolean;
  /** The value of the positional argument, or an empty string if the command has none. */
  readonly operand: string;
  /** Whether to print one JSON object and nothing else. */
  readonly json: boolean;
  readonly environment: NodeJS.ProcessEnv;
  /** Reads the first line of standard input. */
  readLine(): Promise<string>;
  /** Prints the result of the command: the object as JSON with `--json`, otherwise the text. */
  print(object: object, text: string): void;
  /** Prints an object as one line of JSON, also without `--json`. */
  printJsonLine(object: object): void;
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
