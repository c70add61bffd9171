import type { Command } from './command.ts';
import { table } from './safe-output.ts';

export function overview(commands: readonly Command[], resource?: string): string {
  const lines = table(
    commands.map(({ name, operand, summary }) => ['', operand ? `${name} <${operand}>` : name, summary]),
  );
  return `Usage: paw ${resource ? `${resource} ` : ''}<command> [options]

${lines}

Every command supports --json, which prints only one JSON object, and --help.
DATABASE_URL sets the database (default: sqlite:data/paw.db). docs/running.md lists all settings.`;
}

export function commandHelp(command: Command): string {
  const options = Object.entries(command.options ?? {}).map(([name, { value, description, required }]) => [
    '',
    value ? `--${name} ${value}` : `--${name}`,
    required ? `${description} Required.` : description,
  ]);
  return `Usage: ${usage(command)}

${command.summary}

${table([...options, ['', '--json', 'Prints only one JSON object.']])}`;
}

/** Returns how a command is called, such as `paw account create --title <text> [options]`. */
export function usage({ name, operand, options = {} }: Command): string {
  const required = Object.entries(options).flatMap(([option, { value, required }]) =>
    required ? [`--${option} ${value}`] : [],
  );
  return ['paw', name, ...(operand ? [`<${operand}>`] : []), ...required, '[options]'].join(' ');
}
