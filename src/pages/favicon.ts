import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';

// The logo of the pages in 32 × 32 pixels, as PNG in ICO: not every browser takes an SVG here.
const ICON = readFileSync(new URL('./static/favicon.ico', import.meta.url));

// The public pages are for the clients of one gateway, and not for search engines.
const ROBOTS = 'User-agent: *\nDisallow: /\n';

/**
 * Adds the files that programs load unasked: `/favicon.ico`, by browsers for responses without `<link rel="icon">`, such as
 * contracts and Apollo Sandbox, and `/robots.txt`. Source: RFC 9309.
 */
export function addFavicon(app: FastifyInstance): void {
  app.get('/favicon.ico', async (_request, reply) => {
    reply.type('image/x-icon').header('cache-control', 'public, max-age=86400');
    return ICON;
  });
  app.get('/robots.txt', async (_request, reply) => {
    reply.type('text/plain; charset=utf-8').header('cache-control', 'public, max-age=86400');
    return ROBOTS;
  });
}
