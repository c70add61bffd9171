import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';

/** A link on the start page. */
export type Link = { readonly path: string; readonly text: string };

const STYLE = `
:root { color-scheme: light dark; }
body { max-width: 40rem; margin: 4rem auto; padding: 0 1.5rem; font: 1rem/1.6 system-ui, sans-serif; }
code { font: 0.9em ui-monospace, monospace; }
dt { font-weight: 600; margin-top: 1rem; }
dd { margin: 0; }
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** Adds the page at `/`, which names the server and links to what it offers. */
export function addStartPage(app: FastifyInstance, version: string, links: readonly Link[]): void {
  const list = links.map(
    ({ path, text }) => `<dt><a href=".${path}"><code>${path}</code></a></dt><dd>${text}</dd>`,
  );
  const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>PAW gateway</title>
<style>${STYLE}</style>
<h1>PAW gateway</h1>
<p>Projects, apps and wallets, by GraphQL and by REST. Version ${version}.</p>
<dl>${list.join('\n')}</dl>
</html>
`;
  app.get('/', async (_request, reply) => {
    reply
      .type('text/html; charset=utf-8')
      .header(
        'content-security-policy',
        `default-src 'none'; img-src data:; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      );
    return page;
  });
}
