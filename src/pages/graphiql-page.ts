import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { assetPath } from './bundle.ts';
import { sendPage } from './page.ts';
import { TOKEN_FIELD } from './token-field.ts';

/** Adds GraphiQL, on the endpoint at `./graphql`. */
export function addGraphiqlPage(app: FastifyInstance): void {
  app.get('/graphiql', async (_request, reply) => {
    const nonce = randomBytes(16).toString('base64');
    const [script, style, editor, json, graphql] = await Promise.all([
      assetPath('graphiql', '.js'),
      assetPath('graphiql', '.css'),
      assetPath('editor-worker', '.js'),
      assetPath('json-worker', '.js'),
      assetPath('graphql-worker', '.js'),
    ]);
    return sendPage(reply, {
      path: '/graphiql',
      title: 'GraphiQL · PAW gateway',
      head: `<link rel="stylesheet" href="${style}">
<script type="module" src="${script}" nonce="${nonce}"></script>`,
      controls: TOKEN_FIELD,
      main: `<div id="graphiql" data-editor-worker="${editor}" data-json-worker="${json}" data-graphql-worker="${graphql}"></div>`,
      policy: {
        'script-src': `'self'`,
        'worker-src': `'self'`,
        'connect-src': `'self'`,
        'font-src': 'data:',
        // The editor makes style elements by script; the page's own script puts the nonce on them.
        'style-src': `'self' 'nonce-${nonce}'`,
        // The editor sets the places of its lines by style attributes, as HTML.
        'style-src-attr': `'unsafe-inline'`,
      },
    });
  });
}
