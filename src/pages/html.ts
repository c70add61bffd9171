import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyReply } from 'fastify';

/** An HTML page. All texts are HTML. */
export type Page = {
  /** The URL path of the page. */
  readonly path: string;
  /** The relative URL of the start page, if it is not `./`. */
  readonly root?: string;
  readonly title: string;
  /** CSS in addition to the common style of all pages. */
  readonly style?: string;
  /** Additional elements of the head, such as scripts. */
  readonly head?: string;
  /** Elements in the header bar instead of the link to the page itself. */
  readonly links?: string;
  /** Elements in the header bar, after the links. */
  readonly controls?: string;
  readonly main: string;
  /** The sources that the Content-Security-Policy allows in addition to the common ones, by directive. */
  readonly policy: Readonly<Record<string, string>>;
};

const LINKS = [
  { path: '/console', text: 'Console' },
  { path: '/graphiql', text: 'GraphiQL' },
  { path: '/reference', text: 'REST' },
  { path: '/docs', text: 'Docs' },
] as const;

/** Returns a style of the pages. */
export function readStyle(
  name: 'page' | 'content' | 'search' | 'start-page' | 'documentation' | 'sandbox',
): string {
  return readFileSync(new URL(`./static/${name}.css`, import.meta.url), 'utf8');
}

const STYLE = readStyle('page');

const DESCRIPTION = 'Projects, apps and wallets, through GraphQL, REST and a console.';

const LOGO =
  '<path d="M16 15c4 0 8 5 8 9 0 3-2 4-4 4s-3-1-4-1-2 1-4 1-4-1-4-4c0-4 4-9 8-9Z"/>' +
  '<ellipse cx="6" cy="14" rx="3" ry="4"/><ellipse cx="12.500" cy="8" rx="3" ry="4.500"/>' +
  '<ellipse cx="19.500" cy="8" rx="3" ry="4.500"/><ellipse cx="26" cy="14" rx="3" ry="4"/>';

const ICON = encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" fill="#6366f1">${LOGO}</svg>`,
);

/**
 * Sends a page. Its links are relative, because a proxy can serve the gateway under a path prefix. A page of another origin
 * that has opened it cannot change its address, which can have a token.
 */
export function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  const { root = './', style = '' } = page;
  const links = LINKS.filter(({ path }) => reply.server.hasRoute({ method: 'GET', url: path })).map(
    ({ path, text }) =>
      (page.path === path && page.links) ||
      `<a href="${root}${path.slice(1)}"${page.path === path ? ' aria-current="page"' : ''}>${text}</a>`,
  );
  return reply
    .type('text/html; charset=utf-8')
    .header('content-security-policy', policyOf(page))
    .header('cross-origin-opener-policy', 'same-origin')
    .send(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${page.title}</title>
<meta name="description" content="${DESCRIPTION}">
<link rel="icon" href="data:image/svg+xml,${ICON}">
<style>${STYLE}${style}</style>
${page.head ?? ''}
</head>
<body>
<header class="bar">
<a class="name" href="${root}" aria-label="PAW gateway"><svg viewBox="0 0 32 32" fill="currentColor" aria-hidden="true">${LOGO}</svg><b>PAW gateway</b></a>
<nav id="pages" aria-label="Pages" popover>${links.join('')}</nav>
${page.controls ?? ''}
<button type="button" class="pages" popovertarget="pages" aria-label="Menu"><svg viewBox="0 0 16 16" stroke="currentColor" stroke-width="1.5" aria-hidden="true"><path d="M2 4h12M2 8h12M2 12h12"/></svg></button>
</header>
<main>${page.main}</main>
</body>
</html>
`);
}

/** Escapes text for HTML, including attribute values. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Returns the source expression of the Content-Security-Policy that allows one inline script or style. */
export function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

function policyOf(page: Page): string {
  const { 'style-src': style = '', ...policy } = page.policy;
  const directives = {
    'default-src': `'none'`,
    'base-uri': `'none'`,
    'form-action': `'none'`,
    'frame-ancestors': `'none'`,
    'img-src': `'self' data:`,
    'style-src': `${hashSource(STYLE + (page.style ?? ''))} ${style}`.trim(),
    ...policy,
  };
  return Object.entries(directives)
    .map((directive) => directive.join(' '))
    .join('; ');
}
