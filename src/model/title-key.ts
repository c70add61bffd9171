// In code points. With it, the key of any title fits an index of PostgreSQL, whose entries have at most 2,700 bytes.
const MAX_LENGTH = 64;

/**
 * Returns the key by which a title is found: the starts of titles that differ only in case or in compatible characters
 * have keys with the same start. The hexadecimal digits of UTF-8 have one order in all collations.
 */
export function titleKey(title: string): string {
  // Lower case first: `ẞ` has no other upper case than itself, but `ß`, its lower case, has `SS`.
  const cased = title.normalize('NFKC').toLowerCase().toUpperCase().normalize('NFKC');
  const folded = [...cased].slice(0, MAX_LENGTH).join('');
  return Buffer.from(folded).toString('hex');
}

/** Returns the bounds of the keys of the titles that start with a text: the first one, and the one after the last. */
export function keysOfBeginning(beginning: string): readonly [first: string, end: string] {
  const key = titleKey(beginning);
  return [key, `${key}g`];
}
