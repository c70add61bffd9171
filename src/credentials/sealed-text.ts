import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts a text with a key that is derived from a secret of the client. The secret is not stored, so the database alone
 * gives no text away. Source: RFC 5869 (HKDF), NIST SP 800-38D (GCM).
 *
 * @param secret the bearer token, with 256 random bits
 * @param salt a value that makes the key different for each text
 */
export function seal(text: string, secret: string, salt: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, deriveKey(secret, salt), nonce);
  const encrypted = [cipher.update(text, 'utf8'), cipher.final()];
  return Buffer.concat([nonce, cipher.getAuthTag(), ...encrypted]).toString('base64');
}

/** Decrypts a sealed text. Returns undefined if it was sealed with another secret or salt, or was changed. */
export function unseal(sealed: string, secret: string, salt: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64');
  const nonce = bytes.subarray(0, NONCE_BYTES);
  try {
    const decipher = createDecipheriv(ALGORITHM, deriveKey(secret, salt), nonce, {
      authTagLength: TAG_BYTES,
    }).setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const decrypted = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([decrypted, decipher.final()]).toString();
  } catch {
    return undefined;
  }
}

function deriveKey(secret: string, salt: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, salt, 'paw sealed text', KEY_BYTES));
}
