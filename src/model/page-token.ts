import { hash } from 'node:crypto';
import { ValidationError, type Validator, validator } from './fields.ts';
import { parseUlid, type Ulid } from './resource-name.ts';

/** Makes and reads the tokens of one gateway. */
export type PageTokens = {
  /** The token of the place that the item `id` has in its list. */
  encode(id: Ulid): string;
  /** Reads a token; null, or an empty one, stands for no place. Broken if malformed or forged. */
  readonly position: Validator<Ulid | undefined>;
};

/** What a page token looks like from outside. Empty, it stands for no place. */
export const PAGE_TOKEN_SCHEMA = { type: 'string', maxLength: 100, pattern: '^[A-Za-z0-9_-]*$' } as const;

const VERSION = '2';

// In characters of base64, each of six bits.
const PLACE_LENGTH = 36;
const CODE_LENGTH = 20;

/**
 * Page tokens: opaque, URL-safe, and the same string as a Relay cursor.
 *
 * A token is the base64url form of a version digit and the ULID of an item, followed by
 * that of an authentication code, 120 bits of SHA-256 over the key and the place. It grants
 * nothing: the code is there so that a token made up or cut short is refused instead of
 * read as some place. A place always has the same length, and less than half of the hash is
 * shown, so that a code can't be extended to that of a longer text; an HMAC, which
 * guards against that, takes five times as long.
 *
 * @param key 32 bytes, the same for all instances on one database
 */
export function pageTokens(key: Uint8Array): PageTokens {
  const secret = Buffer.from(key).toString('hex');

  function encode(id: Ulid): string {
    const place = VERSION + id;
    // Of digits and letters, base64 makes neither of the characters that base64url replaces.
    return btoa(place) + hash('sha256', secret + place, 'base64url').slice(0, CODE_LENGTH);
  }

  const position = validator(PAGE_TOKEN_SCHEMA, true, (sent): Ulid | undefined => {
    if (sent === undefined || sent === null || sent === '') return undefined;
    const id = typeof sent === 'string' ? parseUlid(idIn(sent)) : undefined;
    // Comparing the whole text refuses other spellings of the same bytes, too. It may tell by its time how much of a
    // forged code is right: what would be gained is a place in a list of one's own.
    if (id === undefined || encode(id) !== sent) {
      throw new ValidationError('Must be a token or cursor that this service gave.');
    }
    return id;
  });

  return { encode, position };
}

function idIn(token: string): string {
  return Buffer.from(token.slice(0, PLACE_LENGTH), 'base64url').toString('latin1').slice(VERSION.length);
}
