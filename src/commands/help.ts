import type { Command } from './command.ts';
import { table } from './table.ts';

/** Returns the help of `paw`. */
export function overview(commands: readonly Command[]): string {
  const lines = table(commands.map((command) => ['', synopsis(command), command.summary]));
  return `Usage: paw <command> [options]

${lines}

Every command supports --json, which prints only one JSON object, and --help.
DATABASE_URL sets the database (default: sqlite:data/paw.db). docs/running.md lists all settings.`;
}

/** Returns the help of one command. */
export function commandHelp(command: Command): string {
  const options = Object.entries(command.options).map(([name, { value, description, required }]) => [
    '',
    value === undefined ? `--${name}` : `--${name} ${value}`,
    required ? `${description} Required.` : description,
  ]);
  return `Usage: paw ${synopsis(command)}${options.length > 0 ? ' [options]' : ''} [--json]

${command.summary}

${table([...options, ['', '--json', 'Prints only one JSON object.']])}`;
}

function synopsis({ name, operand }: Command): string {
  return operand ? `${name} <${operand}>` : name;
}
