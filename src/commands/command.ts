/** An option of a command, given as `--name value`. */
export type Option = {
  /** What stands for the value in the help. */
  readonly value: string;
  readonly text: string;
  readonly required?: boolean;
};

/** What a command was called with. */
export type Arguments = {
  /** The value of a required option. */
  required(option: string): string;
  /** The value of an option, or undefined if it was not given. */
  optional(option: string): string | undefined;
  /** The value of the command's one positional argument. */
  readonly operand: string;
  /** Whether to print one JSON object and nothing else. */
  readonly json: boolean;
  readonly environment: NodeJS.ProcessEnv;
  /** Prints one line: the object as JSON where that is asked for, or else the text. */
  print(object: object, text: string): void;
};

/** A subcommand of `paw`. */
export type Command = {
  /** Its words, such as `account create`. */
  readonly name: string;
  readonly summary: string;
  /** What its positional argument is called, if it takes one. */
  readonly operand?: string;
  readonly options: Readonly<Record<string, Option>>;
  run(args: Arguments): Promise<void>;
};

/** A command that was called wrongly. The message is one line. */
export class UsageError extends Error {}
