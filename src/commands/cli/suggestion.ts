// `inti` and `lits` are two edits away from the right word.
const MAX_EDITS = 2;

/** Returns a sentence with the name that is nearest to a word, after a space, or nothing if none is near. */
export function suggestion(word: string, names: readonly string[], prefix: string): string {
  const [nearest] = names
    .map((name) => ({ name, edits: editsBetween(word, name) }))
    .filter(({ edits }) => edits <= Math.min(MAX_EDITS, word.length / 2))
    .toSorted((a, b) => a.edits - b.edits);
  return nearest === undefined ? '' : ` Did you mean ${prefix}${nearest.name}?`;
}

/** The number of characters to add, remove or replace. Source: Levenshtein, 1966. */
function editsBetween(word: string, name: string): number {
  let edits = Array.from({ length: name.length + 1 }, (_, length) => length);
  for (const [index, character] of [...word].entries()) {
    const next = [index + 1];
    for (const [place, other] of [...name].entries()) {
      const replaced = (edits[place] ?? 0) + Number(character !== other);
      next.push(Math.min(replaced, (edits[place + 1] ?? 0) + 1, (next[place] ?? 0) + 1));
    }
    edits = next;
  }
  return edits[name.length] ?? 0;
}
