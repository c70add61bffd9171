import { levels } from 'pino';

// Without quotes, a value must not be able to look like another field, or to control the terminal.
const PLAIN = /^[\w.:/-]+$/;

/** Returns a line of the JSON log in a form that people read on a terminal: time, level, message, and other fields. */
export function terminalLine(json: string): string {
  const { time, level, msg = '', pid: _pid, hostname: _hostname, err, ...fields } = JSON.parse(json);
  const clock = new Date(time).toTimeString().slice(0, 8);
  const label = levels.labels[level]?.toUpperCase().padEnd(5);
  const texts = Object.entries(fields).map(([name, value]) => `${name}=${valueText(value)}`);
  return `${[clock, label, msg, ...texts].filter((text) => text !== '').join(' ')}\n${stackText(err)}`;
}

function valueText(value: unknown): string {
  return typeof value === 'string' && PLAIN.test(value) ? value : JSON.stringify(value);
}

/** Returns the stack of an error, without characters that control a terminal. */
function stackText(err: { readonly stack?: string } | undefined): string {
  return err?.stack === undefined ? '' : `${err.stack.replace(/[^\P{C}\n]/gu, '?')}\n`;
}
