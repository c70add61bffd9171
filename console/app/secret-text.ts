// The beginning of a token or a private key, or a whole one within a header, a line of a file, or an address.
const SECRET = /^["']?(Bearer\s+)?["']?paw_|paw_(acct|app|key)_/i;

/** What is said when a secret is entered where something is looked for. */
export const SECRET_REFUSED =
  'This is a token or a key, so nothing was looked for. It was not sent, and is not in the address of the page.';

/** Returns whether a text can be a secret, which nothing looks for. */
export function isSecret(text: string): boolean {
  return SECRET.test(text.trim());
}
