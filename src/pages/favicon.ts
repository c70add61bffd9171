import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';

// The logo of the pages in 32 × 32 pixels, as PNG in ICO: not every browser takes an SVG here.
const ICON = readFileSync(new URL('./browser/favicon.ico', import.meta.url));

/** Adds `/favicon.ico`, which browsers load for what has no `<link rel="icon">`: documents and Apollo Sandbox. */
export function addFavicon(app: FastifyInstance): void {
  app.get('/favicon.ico', async (_request, reply) => {
    reply.type('image/x-icon').header('cache-control', 'public, max-age=86400');
    return ICON;
  });
}
