const MAX_EDITS = 2;

// With fewer, a short word would be near to an unrelated one, as `nope` to `copy`.
const CHARACTERS_PER_EDIT = 3;

/** Returns a sentence with the name that is nearest to a word, after a space, or nothing if none is near. */
export function suggestion(word: string, names: readonly string[], prefix: string): string {
  const [nearest] = names
    .map((name) => ({ name, edits: editsBetween(word, name) }))
    .filter(({ edits }) => edits <= Math.min(MAX_EDITS, word.length / CHARACTERS_PER_EDIT))
    .toSorted((a, b) => a.edits - b.edits);
  return nearest === undefined ? '' : ` Did you mean ${prefix}${nearest.name}?`;
}

/** The number of characters to add, remove, replace, or swap with the next one. Source: Damerau, 1964. */
function editsBetween(word: string, name: string): number {
  let before: number[] = [];
  let edits = Array.from({ length: name.length + 1 }, (_, length) => length);
  for (const [index, character] of [...word].entries()) {
    const next = [index + 1];
    for (const [place, other] of [...name].entries()) {
      const replaced = (edits[place] ?? 0) + Number(character !== other);
      const isSwapped = index > 0 && character === name[place - 1] && other === word[index - 1];
      const swapped = isSwapped ? (before[place - 1] ?? 0) + 1 : replaced;
      next.push(Math.min(replaced, swapped, (edits[place + 1] ?? 0) + 1, (next[place] ?? 0) + 1));
    }
    before = edits;
    edits = next;
  }
  return edits[name.length] ?? 0;
}
