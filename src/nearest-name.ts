// A name with more differences is not a misspelling.
const MAX_DISTANCE = 3;

/** Returns the name that `text` most likely misspells, or undefined if none is near. */
export function nearestName(text: string, names: Iterable<string>): string | undefined {
  let nearest: string | undefined;
  let minimum = MAX_DISTANCE + 1;
  for (const name of names) {
    const distance = editDistance(text, name);
    if (distance < minimum) [nearest, minimum] = [name, distance];
  }
  return nearest;
}

/** Returns the number of insertions, deletions and replacements of characters between two texts (Levenshtein). */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (const [row, character] of [...a].entries()) {
    const current = [row + 1];
    for (const [column, other] of [...b].entries()) {
      const replaced = (previous[column] ?? 0) + (character === other ? 0 : 1);
      current.push(Math.min((previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1, replaced));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
