import { crc32 } from 'node:zlib';
import { ValidationError, type Validator } from '../fields/fields.ts';
import { parseUlid, type Ulid } from '../resource-name.ts';

const INVALID = 'Must be a page token or cursor that this service returned for the same filter.';

const VERSION = '3';

// In base64 characters of six bits each.
const PAYLOAD_LENGTH = 36;

const CHECKSUM_LENGTH = 8;

/**
 * Returns the page token of an item, which is also its Relay cursor: opaque and URL-safe. It is the base64url encoding of a
 * version digit and the ULID of the item, and the CRC-32 of both and the filter, in hexadecimal digits. A token gives no
 * access: the checksum only lets a list refuse one that was cut, changed, or made with another filter.
 *
 * @param filter the filter of the list; tokens of lists without one are interchangeable
 */
export function encodePageToken(id: Ulid, filter = ''): string {
  const payload = VERSION + id;
  // The base64 of digits and letters contains no + and no /, and 27 bytes need no padding.
  return (
    btoa(payload) +
    crc32(payload + filter)
      .toString(16)
      .padStart(CHECKSUM_LENGTH, '0')
  );
}

/**
 * Returns the validator of a page token, which decodes it to the id of its item. Null, undefined and the empty string give
 * undefined.
 */
export const pageToken =
  (filter?: string): Validator<Ulid | undefined> =>
  (value) => {
    const id = pageTokenForm(value);
    // The whole token, which also refuses other base64 encodings of the same bytes.
    if (id !== undefined && encodePageToken(id, filter) !== value) throw new ValidationError(INVALID);
    return id;
  };

/** The validator of the form of a page token with any filter. */
export const pageTokenForm: Validator<Ulid | undefined> = (value) => {
  if (value === undefined || value === null || value === '') return undefined;
  const id = typeof value === 'string' ? parseUlid(decodeId(value)) : undefined;
  if (id === undefined) throw new ValidationError(INVALID);
  return id;
};

function decodeId(token: string): string {
  return Buffer.from(token.slice(0, PAYLOAD_LENGTH), 'base64url').toString('latin1').slice(VERSION.length);
}
