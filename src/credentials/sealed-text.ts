import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto';

/** A text that only the client who holds a secret can read again. */
export type Seal = {
  /** Encrypts a text. */
  seal(text: string): string;
  /** Decrypts a sealed text. Returns undefined if it was sealed with another secret, key or context. */
  open(sealed: string): string | undefined;
};

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Returns a seal with a key that is derived from a secret of the client. The secret is not stored, so the
 * database alone gives no text away. Source: RFC 5869 (HKDF), NIST SP 800-38D (GCM).
 *
 * @param secret the bearer token, with 256 random bits
 * @param salt a value that makes the key different for each text
 * @param context what the text belongs to; a text can only be opened in the context in which it was sealed
 */
export function createSeal(secret: string, salt: string, context: string): Seal {
  const key = new Uint8Array(hkdfSync('sha256', secret, salt, 'paw sealed text', KEY_BYTES));
  const authenticated = hash('sha256', context, 'buffer');
  return {
    seal(text) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(authenticated);
      const encrypted = [cipher.update(text, 'utf8'), cipher.final()];
      return Buffer.concat([nonce, cipher.getAuthTag(), ...encrypted]).toString('base64');
    },

    open(sealed) {
      const bytes = Buffer.from(sealed, 'base64');
      const nonce = bytes.subarray(0, NONCE_BYTES);
      try {
        const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
          .setAAD(authenticated)
          .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
        const decrypted = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
        return Buffer.concat([decrypted, decipher.final()]).toString();
      } catch {
        return undefined;
      }
    },
  };
}
