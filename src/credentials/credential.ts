import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { type Ulid, UPPER_CASE_ULID_PATTERN } from '../model/resource-name.ts';

/** The kind of a credential: an account token (`acct`), a project token (`app`), or a private key (`key`). */
export type CredentialKind = 'acct' | 'app' | 'key';

export type Credential = {
  readonly kind: CredentialKind;
  readonly accountId: Ulid;
  /** The id of the credential, unique within its account. */
  readonly id: Ulid;
};

const CREDENTIAL_PATTERN = new RegExp(
  `^paw_(acct|app|key)_(${UPPER_CASE_ULID_PATTERN})(${UPPER_CASE_ULID_PATTERN})_[0-9a-f]{64}([0-9a-f]{8})$`,
);

/**
 * Creates a credential:
 * `paw_<kind>_<ULID of the account><its own ULID>_<256 random bits><CRC-32 of the preceding text>`.
 * The prefix lets secret scanners find a leaked credential. The checksum lets them exclude false
 * positives, and lets the gateway reject a mistyped credential without a database query.
 */
export function createCredential(kind: CredentialKind, accountId: Ulid, id: Ulid): string {
  const body = `paw_${kind}_${accountId}${id}_${randomBytes(32).toString('hex')}`;
  return body + crc32(body).toString(16).padStart(8, '0');
}

/** Parses a credential. Returns undefined if its format or its checksum is wrong. */
export function parseCredential(text: string): Credential | undefined {
  const [, kind, accountId, id, checksum] = CREDENTIAL_PATTERN.exec(text) ?? [];
  if (checksum === undefined || Number.parseInt(checksum, 16) !== crc32(text.slice(0, -8))) return undefined;
  return { kind: kind as CredentialKind, accountId: accountId as Ulid, id: id as Ulid };
}

/** Returns the SHA-256 of a credential, in hexadecimal digits. Only this hash is stored. */
export function hashCredential(text: string): string {
  return hash('sha256', text);
}

/** Returns whether two hashes are equal. The comparison takes constant time. */
export function equalHashes(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
