// Titles can contain control characters, which a terminal would execute.
const CONTROL_CHARACTERS = /\p{Cc}/gu;

/** Returns rows of text with aligned columns, two spaces between them. */
export function table(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => cell.replace(CONTROL_CHARACTERS, '\u{fffd}')));
  const widths =
    cells[0]?.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = cells.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return lines.map((line) => line.trimEnd()).join('\n');
}
