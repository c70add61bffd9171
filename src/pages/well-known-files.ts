import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';

// The logo of the pages in 32 × 32 pixels, as PNG in ICO: not every browser takes an SVG here.
const ICON = readFileSync(new URL('./static/favicon.ico', import.meta.url));

// The public pages are for the clients of one gateway, and not for search engines.
const ROBOTS = 'User-agent: *\nDisallow: /\n';

const SECURITY_PATH = '/.well-known/security.txt';

// Source: RFC 9116, section 2.5.5, which recommends less than a year.
const SECURITY_DAYS = 360;

type Contact = { readonly securityContact: string | undefined; readonly publicUrl: string | undefined };

/**
 * Adds the files that programs load unasked: `/favicon.ico`, by browsers for responses without `<link rel="icon">`, such as
 * contracts, `/robots.txt`, and `/.well-known/security.txt` if there is a contact. Sources: RFC 9309, RFC 9116.
 */
export function addWellKnownFiles(app: FastifyInstance, { securityContact, publicUrl }: Contact): void {
  app.get('/favicon.ico', async (_request, reply) => {
    reply.type('image/x-icon').header('cache-control', 'public, max-age=86400');
    return ICON;
  });
  app.get('/robots.txt', async (_request, reply) => {
    reply.type('text/plain; charset=utf-8').header('cache-control', 'public, max-age=86400');
    return ROBOTS;
  });
  if (securityContact === undefined) return;
  app.get(SECURITY_PATH, async (_request, reply) => {
    reply.type('text/plain; charset=utf-8').header('cache-control', 'public, max-age=86400');
    const expires = new Date(Date.now() + SECURITY_DAYS * 86_400_000).toISOString();
    const canonical = publicUrl ? `Canonical: ${new URL(SECURITY_PATH, publicUrl)}\n` : '';
    return `Contact: ${securityContact}\nExpires: ${expires}\n${canonical}`;
  });
}
