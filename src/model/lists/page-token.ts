import { hash } from 'node:crypto';
import { ValidationError, type Validator } from '../fields/fields.ts';
import { parseUlid, type Ulid } from '../resource-name.ts';

export type PageTokens = {
  /** @param filter that of the list; tokens of lists without one work in each other's place */
  encode(id: Ulid, filter?: string): string;
  /**
   * Returns a validator that decodes a page token to the id of its item. Null, undefined and the empty string give undefined.
   * A token that is malformed, forged or of another filter is invalid.
   */
  position(filter?: string): Validator<Ulid | undefined>;
};

const INVALID = 'Must be a page token or cursor that this service returned for the same filter.';

const VERSION = '2';

// Lengths in base64 characters of six bits each.
const PAYLOAD_LENGTH = 36;
const MAC_LENGTH = 20;

/**
 * Returns the encoder and decoder of page tokens. A page token is opaque and URL-safe, and
 * identical to a Relay cursor.
 *
 * A token is the base64url encoding of the payload (a version digit and the ULID of an item),
 * followed by the base64url encoding of a message authentication code (MAC): the first 120
 * bits of SHA-256 over the key and the payload. A token grants no access. The MAC only makes
 * sure that a forged or truncated token is rejected, and one of a list with another filter. A
 * length-extension attack is not possible, because the MAC is less than half of the hash. An
 * HMAC takes five times as long.
 *
 * @param key 32 bytes, the same for all instances on one database
 */
export function pageTokens(key: Uint8Array): PageTokens {
  const secret = Buffer.from(key).toString('hex');

  function encode(id: Ulid, filter = ''): string {
    const payload = VERSION + id;
    // The base64 of digits and letters contains no + and no /, and 27 bytes need no padding.
    return btoa(payload) + hash('sha256', secret + payload + filter, 'base64url').slice(0, MAC_LENGTH);
  }

  const position =
    (filter?: string): Validator<Ulid | undefined> =>
    (value) => {
      const id = idIn(value);
      // The comparison of the whole token also rejects other base64 encodings of the same bytes. It is not
      // constant-time: a forged MAC gives only a position in a list that the client can read anyway.
      if (id !== undefined && encode(id, filter) !== value) throw new ValidationError(INVALID);
      return id;
    };

  return { encode, position };
}

/** Page tokens of which only the form is checked, for which no key is needed. */
export const PAGE_TOKEN_FORM: Pick<PageTokens, 'position'> = { position: () => idIn };

function idIn(value: unknown): Ulid | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const id = typeof value === 'string' ? parseUlid(decodeId(value)) : undefined;
  if (id === undefined) throw new ValidationError(INVALID);
  return id;
}

function decodeId(token: string): string {
  return Buffer.from(token.slice(0, PAYLOAD_LENGTH), 'base64url').toString('latin1').slice(VERSION.length);
}
