import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { assetPaths } from './assets.ts';
import { sendPage } from './page.ts';
import { TOKEN_FIELD } from './token-field.ts';

/** Adds the page `/docs`: the REST reference, which is Scalar with the OpenAPI document of the gateway. */
export function addReferencePage(app: FastifyInstance): void {
  const pathOf = assetPaths();
  const style = `<link rel="stylesheet" href="${pathOf('reference', '.css')}">`;
  const script = pathOf('reference', '.js');

  app.get('/docs', async (_request, reply) => {
    const nonce = randomBytes(16).toString('base64');
    return sendPage(reply, {
      path: '/docs',
      title: 'REST reference · PAW gateway',
      // Scalar reads the nonce of its first style element from a meta element. style-nonce.ts sets that of the others.
      head: `<meta property="csp-nonce" content="${nonce}">
${style}\n<script type="module" src="${script}" nonce="${nonce}"></script>`,
      controls: TOKEN_FIELD,
      main: '<div id="reference"></div>',
      policy: {
        'script-src': `'self'`,
        'connect-src': `'self'`,
        'style-src': `'self' 'nonce-${nonce}'`,
        // Scalar positions its panels with style attributes.
        'style-src-attr': `'unsafe-inline'`,
      },
    });
  });
}
