import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const MAX_COMPRESSED_BYTES = 12_000;

/**
 * Compresses a text, and encrypts it with a key that is derived from a secret of the client. The secret is not stored, so
 * the database alone gives no text away. Source: RFC 5869 (HKDF), NIST SP 800-38D (GCM).
 *
 * @param secret the bearer token, with 256 random bits
 * @param salt a different value for each text, from which its key is derived
 * @returns at most 16 KB, or undefined if the text would take more
 */
export function seal(text: string, secret: string, salt: string): string | undefined {
  const compressed = compress(text);
  if (compressed === undefined) return undefined;
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, deriveKey(secret, salt), nonce);
  const encrypted = [cipher.update(compressed), cipher.final()];
  return Buffer.concat([nonce, cipher.getAuthTag(), ...encrypted]).toString('base64');
}

/**
 * Decrypts a sealed text. Returns a function that decompresses it, because the text can take a hundred times the memory;
 * undefined if it was sealed with another secret or salt, or was changed.
 */
export function unseal(sealed: string, secret: string, salt: string): (() => string) | undefined {
  const bytes = Buffer.from(sealed, 'base64');
  const nonce = bytes.subarray(0, NONCE_BYTES);
  try {
    const decipher = createDecipheriv(ALGORITHM, deriveKey(secret, salt), nonce, {
      authTagLength: TAG_BYTES,
    }).setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const decrypted = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
    const compressed = Buffer.concat([decrypted, decipher.final()]);
    return () => inflateRawSync(compressed).toString();
  } catch {
    return undefined;
  }
}

/** Compresses a text. Returns undefined, before it has read all of the text, if the result is too large. */
function compress(text: string): Uint8Array | undefined {
  try {
    // A higher level makes a short text no shorter, and takes longer for a long one.
    return deflateRawSync(text, { level: 1, maxOutputLength: MAX_COMPRESSED_BYTES });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function deriveKey(secret: string, salt: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, salt, 'paw sealed text', KEY_BYTES));
}
