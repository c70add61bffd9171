import { encodeTime, monotonicFactory } from 'ulid';

/** A ULID in upper case: 26 characters of Crockford's base32. Source: github.com/ulid/spec. */
export type Ulid = string & { readonly ulid: unique symbol };

export type Collection = 'accounts' | 'projects' | 'apps' | 'wallets' | 'tokens';

/** A resource name: collection, slash, ULID. Source: AIP-122. */
export type ResourceName<C extends Collection = Collection> = `${C}/${Ulid}`;

/** The first character of a ULID is at most 7, because 26 characters have 130 bits and a ULID has 128. */
export const UPPER_CASE_ULID_PATTERN = '[0-7][0-9A-HJKMNP-TV-Z]{25}';

const ULID = new RegExp(`^${UPPER_CASE_ULID_PATTERN}$`, 'i');

/** Returns a ULID, given in either case, in upper case, or undefined if it is malformed. */
export function parseUlid(text: string): Ulid | undefined {
  return ULID.test(text) ? (text.toUpperCase() as Ulid) : undefined;
}

export function resourceName<C extends Collection>(collection: C, id: Ulid): ResourceName<C> {
  return `${collection}/${id}`;
}

export function idOf(name: ResourceName): Ulid {
  return name.slice(name.indexOf('/') + 1) as Ulid;
}

export function collectionOf<C extends Collection>(name: ResourceName<C>): C {
  return name.slice(0, name.indexOf('/')) as C;
}

/**
 * Returns the resource name in `text`, or undefined if it is malformed or its collection is
 * not one of `collections`. The ULID is accepted in either case and returned in upper case.
 */
export function parseResourceName<C extends Collection>(
  collections: readonly C[],
  text: string,
): ResourceName<C> | undefined {
  for (const collection of collections) {
    if (text.startsWith(`${collection}/`)) {
      const id = parseUlid(text.slice(collection.length + 1));
      return id && resourceName(collection, id);
    }
  }
  return undefined;
}

// The lengths of the two parts of a ULID.
const TIME_LENGTH = 10;
const RANDOM_LENGTH = 16;

/**
 * Returns the first ten characters of all ULIDs of a time, in Unix milliseconds. They sort before these and after all
 * earlier ones. A time before 1970 counts as 1970.
 */
export function ulidTime(timeMs: number): string {
  return encodeTime(Math.max(timeMs, 0), TIME_LENGTH);
}

/** Returns the least ULID of a time, in Unix milliseconds. A time before 1970 counts as 1970. */
export function firstUlid(timeMs: number): Ulid {
  return `${ulidTime(timeMs)}${'0'.repeat(RANDOM_LENGTH)}` as Ulid;
}

/**
 * Returns a generator of monotonic ULIDs: each one sorts after all earlier ones, also within
 * the same millisecond. Source: github.com/ulid/spec.
 */
export function idGenerator(clock: () => number): () => Ulid {
  const next = monotonicFactory(bufferedRandom());
  return () => next(clock()) as Ulid;
}

/**
 * Returns a function that returns random numbers from 0 to less than 1, of 8 bits each, as a ULID needs them. The library
 * would ask the random number generator for each byte.
 */
function bufferedRandom(): () => number {
  const bytes = new Uint8Array(4096);
  let next = bytes.length;
  return () => {
    if (next === bytes.length) {
      crypto.getRandomValues(bytes);
      next = 0;
    }
    return (bytes[next++] ?? 0) / 256;
  };
}
