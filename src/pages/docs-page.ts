import type { FastifyInstance } from 'fastify';
import { assetPaths } from './assets.ts';
import { sendPage } from './page.ts';
import { TOKEN_FIELD } from './token-field.ts';

/** Adds the page `/docs`: Swagger UI with the OpenAPI document of the gateway. */
export function addDocsPage(app: FastifyInstance): void {
  const pathOf = assetPaths();
  const head = `<link rel="stylesheet" href="${pathOf('docs', '.css')}">
<script type="module" src="${pathOf('docs', '.js')}"></script>`;

  app.get('/docs', async (_request, reply) =>
    sendPage(reply, {
      path: '/docs',
      title: 'REST docs · PAW gateway',
      head,
      controls: TOKEN_FIELD,
      main: '<div id="docs"></div>',
      policy: { 'script-src': `'self'`, 'connect-src': `'self'`, 'style-src': `'self'` },
    }),
  );
}
