import type { Command } from './command.ts';

/** The help on `paw` as a whole. */
export function overview(commands: readonly Command[]): string {
  const lines = table(commands.map((command) => [synopsis(command), command.summary]));
  return `Usage: paw <command> [options]

${lines}

Every command takes --json, which prints one JSON object and nothing else, and --help.
The database is named by DATABASE_URL (sqlite:data/paw.db). docs/operations.md lists all settings.`;
}

/** The help on one command. */
export function commandHelp(command: Command): string {
  const options = Object.entries(command.options).map(
    ([name, { value, text, required }]): [string, string] => [
      `--${name} ${value}`,
      required ? `${text} Required.` : text,
    ],
  );
  return `Usage: paw ${synopsis(command)}${options.length > 0 ? ' [options]' : ''} [--json]

${command.summary}

${table([...options, ['--json', 'Prints one JSON object and nothing else.']])}`;
}

function synopsis({ name, operand }: Command): string {
  return operand ? `${name} <${operand}>` : name;
}

function table(rows: readonly (readonly [left: string, right: string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
}
