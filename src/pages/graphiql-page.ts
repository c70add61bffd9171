import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { assetPaths } from './assets.ts';
import { sendPage } from './page.ts';
import { TOKEN_FIELD } from './token-field.ts';

/** Adds the page `/graphiql`: GraphiQL with the GraphQL endpoint of the gateway. */
export function addGraphiqlPage(app: FastifyInstance): void {
  const pathOf = assetPaths();
  const style = `<link rel="stylesheet" href="${pathOf('graphiql', '.css')}">`;
  const script = pathOf('graphiql', '.js');
  const workers = ['editor', 'json', 'graphql'].map(
    (name) => `data-${name}-worker="${pathOf(`${name}-worker`, '.js')}"`,
  );
  const main = `<div id="graphiql" ${workers.join(' ')}></div>`;

  app.get('/graphiql', async (_request, reply) => {
    const nonce = randomBytes(16).toString('base64');
    return sendPage(reply, {
      path: '/graphiql',
      title: 'GraphiQL · PAW gateway',
      head: `${style}\n<script type="module" src="${script}" nonce="${nonce}"></script>`,
      controls: TOKEN_FIELD,
      main,
      policy: {
        'script-src': `'self'`,
        'worker-src': `'self'`,
        'connect-src': `'self'`,
        'font-src': 'data:',
        // The editor creates style elements with a script. style-nonce.ts sets their nonce.
        'style-src': `'self' 'nonce-${nonce}'`,
        // The editor positions its lines with style attributes.
        'style-src-attr': `'unsafe-inline'`,
      },
    });
  });
}
