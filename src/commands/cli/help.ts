import { PAW_COMMAND, readConfig, settingNames } from '../../config.ts';
import { type Command, JSON_OPTION, type Option } from './command.ts';

const WIDTH = 80;

const EVERY_COMMAND = 'Every command takes --help, and --json to print a single JSON object.';

const DEFAULTS = readConfig({});

/** The settings that come first. All others are for tuning. */
const SETTINGS: readonly Definition[] = [
  ['PORT', `The port to listen on. Default: ${DEFAULTS.port}.`],
  ['HOST', `The address to listen on. Default: ${DEFAULTS.host}.`],
  ['DATABASE_URL', `sqlite:<path> or postgres://… Default: ${DEFAULTS.databaseUrl}.`],
  ['PUBLIC_URL', 'The URL that clients use, if it differs from HOST and PORT.'],
  ['NODE_ENV', 'Set it to production on a server that others use.'],
];

/** Commands with the heading of their group. */
export type Group = readonly [heading: string, commands: readonly Command[]];

/** Returns the help of the program. */
export function overview(groups: readonly Group[]): string {
  const indent = indentOf(groups.flatMap(([, commands]) => commands.map(summaryOf)));
  const sections = groups.map(
    ([heading, commands]) => `${heading}:\n${definitions(commands.map(summaryOf), indent)}`,
  );
  const names = settingNames().filter((name) => !SETTINGS.some(([setting]) => setting === name));
  return `Usage: ${PAW_COMMAND} <command> [options]

${sections.join('\n\n')}

${EVERY_COMMAND}

Settings (environment variables):
${definitions(SETTINGS)}

Tuning (see docs/running.md):
  ${wrap(names.sort().join(' '), 2)}`;
}

/** Returns the help of the commands for a resource. */
export function resourceHelp(resource: string, commands: readonly Command[]): string {
  return `Usage: ${PAW_COMMAND} ${resource} <command> [options]

${definitions(commands.map(summaryOf))}

${EVERY_COMMAND}`;
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

type Definition = readonly [term: string, text: string];

const summaryOf = ({ synopsis, summary }: Command): Definition => [synopsis, summary];

/** Returns terms with their descriptions in the column `indent`. */
function definitions(rows: readonly Definition[], indent = indentOf(rows)): string {
  return rows.map(([term, text]) => `  ${term}`.padEnd(indent) + wrap(text, indent)).join('\n');
}

function indentOf(rows: readonly Definition[]): number {
  return 4 + Math.max(...rows.map(([term]) => term.length));
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
