/** Properties of the documentation that its renderer and the server share. */

/** The pages outside of `docs/`, by the names that they are served under, with their files. */
export const ROOT_PAGES: Readonly<Record<string, string>> = {
  'security.md': 'SECURITY.md',
  'changelog.md': 'CHANGELOG.md',
};

/** The widths in rem for which the style has a class. A table that needs more is rows of pairs on every window. */
export const TABLE_WIDTHS = [18, 24, 32, 40, 46];

/**
 * Returns the address below `/docs/` of a link, or undefined for one to a file of the repository that is not served.
 *
 * @param file the file with the link, such as `docs/api.md`
 */
export function servedLink(href: string, file: string): string | undefined {
  if (/^(https?:|#)/.test(href)) return href;
  const { pathname, hash } = new URL(href, `file:///${file}`);
  const root = Object.entries(ROOT_PAGES).find(([, path]) => pathname === `/${path}`);
  const page = root?.[0] ?? /^\/docs\/([\w-]+\.md)$/.exec(pathname)?.[1];
  return page && page + hash;
}
