import { monotonicFactory } from 'ulid';

/** A ULID in upper case: 26 characters of Crockford's base 32. Source: github.com/ulid/spec. */
export type Ulid = string & { readonly ulid: unique symbol };

/** The first part of a resource name. */
export type Collection = 'accounts' | 'projects' | 'apps' | 'wallets';

/** A unique resource name: collection, slash, ULID. Source: AIP-122. */
export type ResourceName<C extends Collection = Collection> = `${C}/${Ulid}`;

/** The regular expression of a ULID as it is returned. */
export const UPPER_CASE_ULID_PATTERN = '[0-7][0-9A-HJKMNP-TV-Z]{25}';

/**
 * The regular expression of a ULID in either case. 128 bits in 26 characters leave
 * two bits of the first one unused.
 */
export const ULID_PATTERN = '[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}';

const ULID = new RegExp(`^${ULID_PATTERN}$`);

/** Takes a ULID in either case and returns it in upper case, or undefined if it is malformed. */
export function parseUlid(text: string): Ulid | undefined {
  return ULID.test(text) ? (text.toUpperCase() as Ulid) : undefined;
}

/** The resource name of `id` in `collection`. */
export function resourceName<C extends Collection>(collection: C, id: Ulid): ResourceName<C> {
  return `${collection}/${id}`;
}

/** The ULID of a resource name. */
export function idOf(name: ResourceName): Ulid {
  return name.slice(name.indexOf('/') + 1) as Ulid;
}

/** The collection of a resource name. */
export function collectionOf<C extends Collection>(name: ResourceName<C>): C {
  return name.slice(0, name.indexOf('/')) as C;
}

/**
 * Takes text that should be a resource name of one of `collections`, its ULID
 * in either case, and returns the name, or undefined if it is malformed.
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

/**
 * Returns a function that makes a new ULID, which sorts after all that it made
 * before, even within one millisecond.
 *
 * @param clock tells the time, in Unix milliseconds
 */
export function idGenerator(clock: () => number): () => Ulid {
  const next = monotonicFactory();
  return () => next(clock()) as Ulid;
}
