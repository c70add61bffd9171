import type { SentRequest } from './request.ts';

// The placeholder of a secret in JSON. In a text, each quote would have a backslash.
const SECRET = /"(token|password|privateKey)":"\$([A-Z_]+)"/g;

/** Returns a request as a command of a shell. The secrets are in variables of the shell, such as `TOKEN`. */
export function curlOf({ document, variables }: SentRequest): string {
  const body = JSON.stringify({ query: document.replace(/\s+/g, ' '), variables });
  return [
    `curl ${quote(new URL('./graphql', location.href).href)}`,
    `-H "Authorization: Bearer $TOKEN"`,
    `-H 'Content-Type: application/json'`,
    `-d ${quote(body).replace(SECRET, `"$1":"'"$$$2"'"`)}`,
  ].join(' \\\n  ');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
