// The start of a token or a private key, or a whole one within a header, a line of a file, or an address.
const SECRET = /^["']?(Bearer\s+)?["']?paw_|paw_(acct|app|key)_/i;

/** The text for a secret that is entered in a search field. */
export const SECRET_REFUSED =
  'This looks like a token or a private key, so it was removed. It wasn’t sent anywhere or added to the page URL.';

/** Returns whether a text can be a secret, which nothing looks for. */
export function isSecret(text: string): boolean {
  return SECRET.test(text.trim());
}
