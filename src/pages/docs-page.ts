import type { FastifyInstance } from 'fastify';
import { assetPath } from './bundle.ts';
import { sendPage } from './page.ts';
import { TOKEN_FIELD } from './token-field.ts';

/** Adds Swagger UI, on the document at `./openapi.json`. */
export function addDocsPage(app: FastifyInstance): void {
  app.get('/docs', async (_request, reply) => {
    const [script, style] = await Promise.all([assetPath('docs', '.js'), assetPath('docs', '.css')]);
    return sendPage(reply, {
      path: '/docs',
      title: 'REST docs · PAW gateway',
      head: `<link rel="stylesheet" href="${style}">
<script type="module" src="${script}"></script>`,
      controls: TOKEN_FIELD,
      main: '<div id="docs"></div>',
      policy: { 'script-src': `'self'`, 'connect-src': `'self'`, 'style-src': `'self'` },
    });
  });
}
