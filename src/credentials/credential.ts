import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { type Ulid, UPPER_CASE_ULID_PATTERN } from '../model/resource-name.ts';

/**
 * What a credential is good for: an account token (`acct`), an app's access
 * token (`app`), or an app's private key (`key`).
 */
export type CredentialKind = 'acct' | 'app' | 'key';

/** A credential, taken apart. */
export type Credential = {
  readonly kind: CredentialKind;
  /** The account (`acct`) or the app (`app`, `key`) that it belongs to. */
  readonly ownerId: Ulid;
  /** Which of its owner's credentials it is. */
  readonly serial: Ulid;
};

const SHAPE = new RegExp(
  `^paw_(acct|app|key)_(${UPPER_CASE_ULID_PATTERN})(${UPPER_CASE_ULID_PATTERN})_[0-9a-f]{64}([0-9a-f]{8})$`,
);

/**
 * Makes a new credential:
 * `paw_<kind>_<owner's ULID><serial ULID>_<256 random bits><CRC-32 of all before it>`.
 * The prefix lets secret scanners find one that leaked, and the checksum tells
 * it from text that merely looks like it.
 *
 * @param ownerId the account or app that it belongs to
 * @param serial tells it from its owner's other credentials
 */
export function createCredential(kind: CredentialKind, ownerId: Ulid, serial: Ulid): string {
  const body = `paw_${kind}_${ownerId}${serial}_${randomBytes(32).toString('hex')}`;
  return body + crc32(body).toString(16).padStart(8, '0');
}

/** Takes a credential apart, or returns undefined if its shape or its checksum is wrong. */
export function parseCredential(text: string): Credential | undefined {
  const [, kind, ownerId, serial, check] = SHAPE.exec(text) ?? [];
  if (check === undefined || Number.parseInt(check, 16) !== crc32(text.slice(0, -8))) return undefined;
  return { kind: kind as CredentialKind, ownerId: ownerId as Ulid, serial: serial as Ulid };
}

/** The SHA-256 of a credential, the only form that is stored, in hexadecimal digits. */
export function hashCredential(text: string): string {
  return hash('sha256', text);
}

/** Whether two hashes are the same, in a time that does not depend on where they differ. */
export function equalHashes(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
