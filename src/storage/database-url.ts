/** Thrown if a database URL can't be used. The message is one line, without the URL, which can contain a password. */
export class DatabaseUrlError extends Error {}

export const URL_FORMS =
  'DATABASE_URL must be sqlite:<path> or postgres://<user>:<password>@<host>:<port>,…/<database>.';

const SQLITE_URL = /^sqlite:(?:\/\/)?(.+)$/;

// A file can have a colon in its name, such as in a time.
const URL_PART = /:\/\/|postgres(?:ql)?:|password\s*=|^(?:(?!:|\/\/).)*(?::|\/\/).*@/is;

// Whatever follows is a file.
const PATH_START = /^\.{0,2}\/(?!\/)/;

/** Whether a text is a URL, or a connection string of libpq, that can contain a password, in any spelling. It is not printed as the name of a file. */
export function isUrl(text: string): boolean {
  return URL_PART.test(text) && !PATH_START.test(text);
}

/** Returns the file of a URL `sqlite:<path>`, or undefined for every other URL. */
export function sqlitePath(url: string): string | undefined {
  const [, path = ''] = SQLITE_URL.exec(url) ?? [];
  return path === '' || path === ':memory:' || isUrl(path) ? undefined : path;
}
