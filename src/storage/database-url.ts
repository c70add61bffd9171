/** Thrown if a database URL can't be used. The message is one line, without the URL, which can contain a password. */
export class DatabaseUrlError extends Error {}

export const URL_FORMS =
  'DATABASE_URL must be sqlite:<path> or postgres://<user>:<password>@<host>:<port>,…/<database>.';

const SQLITE_URL = /^sqlite:(?:\/\/)?(.+)$/;

/** Returns the file of a URL `sqlite:<path>`, or undefined for every other URL. */
export function sqlitePath(url: string): string | undefined {
  const [, path] = SQLITE_URL.exec(url) ?? [];
  return path === ':memory:' ? undefined : path;
}
