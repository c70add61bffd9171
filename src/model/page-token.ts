import { createHmac, timingSafeEqual } from 'node:crypto';
import { BrokenRule, type Rule, rule } from './fields.ts';
import { parseUlid, type Ulid } from './resource-name.ts';

/** Makes and reads the tokens of one gateway. */
export type PageTokens = {
  /** The token of the place that the item `id` has in its list. */
  encode(id: Ulid): string;
  /** Reads a token; null, or an empty one, stands for no place. Broken if malformed or forged. */
  readonly position: Rule<Ulid | undefined>;
};

/** What a page token looks like from outside. Empty, it stands for no place. */
export const PAGE_TOKEN_SCHEMA = { type: 'string', maxLength: 100, pattern: '^[A-Za-z0-9_-]*$' } as const;

const VERSION = '1';
const MAC_BYTES = 15;
const MOST_KNOWN = 10_000;

/**
 * Page tokens: opaque, URL-safe, and the same string as a Relay cursor.
 *
 * A token is the base64url form of a version digit, the ULID of an item and a
 * truncated HMAC-SHA-256 of the two. It grants nothing: the code is there so
 * that a token made up or cut short is refused instead of read as some place.
 *
 * @param key 32 bytes, the same for all instances on one database
 */
export function pageTokens(key: Uint8Array): PageTokens {
  // The token that ends a page is soon sent back for the next one.
  const known = new Map<Ulid, string>();

  function encode(id: Ulid): string {
    let token = known.get(id);
    if (token === undefined) {
      token = makeToken(id);
      if (known.size === MOST_KNOWN) known.clear();
      known.set(id, token);
    }
    return token;
  }

  function makeToken(id: Ulid): string {
    const place = VERSION + id;
    const mac = createHmac('sha256', key).update(place).digest().subarray(0, MAC_BYTES);
    return Buffer.concat([Buffer.from(place, 'latin1'), mac]).toString('base64url');
  }

  const position = rule(PAGE_TOKEN_SCHEMA, true, (sent): Ulid | undefined => {
    if (sent === undefined || sent === null || sent === '') return undefined;
    const id = typeof sent === 'string' ? parseUlid(placeOf(sent)) : undefined;
    // Comparing the whole text refuses other spellings of the same bytes, too.
    if (id === undefined || !equal(encode(id), String(sent))) {
      throw new BrokenRule('Must be a token or cursor that this service gave.');
    }
    return id;
  });

  return { encode, position };
}

function placeOf(token: string): string {
  return Buffer.from(token, 'base64url').toString('latin1').slice(VERSION.length, -MAC_BYTES);
}

function equal(a: string, b: string): boolean {
  // The lengths are those in bytes: a token that was tampered with may hold any character.
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
