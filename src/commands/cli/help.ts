import { PAW_COMMAND } from '../../config.ts';
import { type Command, JSON_OPTION, type Option } from './command.ts';

const WIDTH = 80;

export function overview(commands: readonly Command[], resource?: string): string {
  const lines = commands.map(({ synopsis, summary }) => [synopsis, summary] as const);
  return `Usage: ${PAW_COMMAND} ${resource ? `${resource} ` : ''}<command> [options]

${definitions(lines)}

${wrap('Every command supports --json, which prints only one JSON object, and --help. DATABASE_URL sets the database (default: sqlite:data/paw.db), HOST and PORT where the server listens (default: 127.0.0.1 and 4000). docs/running.md lists all settings.')}`;
}

export function commandHelp(command: Command): string {
  const options = Object.entries({ ...command.options, ...JSON_OPTION }).map(
    ([name, { value, description, required }]: [string, Option]) =>
      [
        value ? `--${name} ${value}` : `--${name}`,
        required ? `${description} Required.` : description,
      ] as const,
  );
  return `${wrap(`Usage: ${usage(command)}`, 2)}

${wrap(command.summary)}

${definitions(options)}`;
}

/** Returns how a command is called, such as `paw account create --title <text> [options]`. */
export function usage(command: Command): string {
  const { synopsis, options = {} } = command;
  const required = Object.entries(options).flatMap(([option, { value, required }]) =>
    required ? [`--${option} ${value}`] : [],
  );
  return [PAW_COMMAND, synopsis, ...required, '[options]'].join(' ');
}

/** Returns terms with their descriptions beside them. */
function definitions(rows: readonly (readonly [term: string, text: string])[]): string {
  const indent = 4 + Math.max(...rows.map(([term]) => term.length));
  return rows.map(([term, text]) => `  ${term}`.padEnd(indent) + wrap(text, indent)).join('\n');
}

/** Breaks a text between words. @param indent the place of the text in its lines */
function wrap(text: string, indent = 0): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && indent + line.length + 1 + word.length <= WIDTH)
      lines.splice(-1, 1, `${line} ${word}`);
    else lines.push(word);
  }
  return lines.join(`\n${' '.repeat(indent)}`);
}
