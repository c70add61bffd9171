// Titles can contain characters that a terminal executes, or that reorder the text around them.
const UNSAFE = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

// What takes two columns of a terminal. Source: Unicode Standard Annex 11.
const FULL_WIDTH =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{Emoji_Presentation}\uff01-\uff60]/u;

const MAX_WIDTH = 100;

const SPACE = '  ';

const GRAPHEMES = new Intl.Segmenter('en');

/** Returns a text with U+FFFD instead of those characters. */
export function printable(text: string): string {
  return text.replace(UNSAFE, '\u{fffd}');
}

/** Returns rows of text with aligned columns, two spaces between them. */
export function table(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(printable));
  const widths =
    cells[0]?.map((_, column) => Math.max(...cells.map((row) => widthOf(row[column] ?? '')))) ?? [];
  const lines = cells.map((row) =>
    row.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell))).join(SPACE),
  );
  return lines
    .map((line) => line.trimEnd())
    .filter(Boolean)
    .join('\n');
}

/** Returns a table of at most 100 columns of a terminal: the second cell of a row, its title, is cut where it is longer. */
export function narrowTable(rows: readonly (readonly string[])[]): string {
  const others = table(rows.map(([first = '', , ...rest]) => [first, ...rest])).split('\n');
  const width = MAX_WIDTH - SPACE.length - Math.max(...others.map(widthOf));
  return table(rows.map(([first = '', title = '', ...rest]) => [first, cut(title, width), ...rest]));
}

/** Returns a time in ISO 8601 without its seconds. */
export function toMinute(time: string): string {
  return time.replace(/:\d\d\.\d+Z$/, 'Z');
}

function widthOf(text: string): number {
  return graphemesOf(text).reduce((width, grapheme) => width + (FULL_WIDTH.test(grapheme) ? 2 : 1), 0);
}

function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  const graphemes = graphemesOf(text);
  while (widthOf(graphemes.join('')) >= width) graphemes.pop();
  return `${graphemes.join('')}…`;
}

function graphemesOf(text: string): string[] {
  return Array.from(GRAPHEMES.segment(text), ({ segment }) => segment);
}

/** Returns the value as JSON, with those characters escaped. */
export function toJson(value: object): string {
  return escapeJson(JSON.stringify(value));
}

/** Escapes those characters in the strings of a JSON text. */
export function escapeJson(json: string): string {
  return json.replace(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
