import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { assetPaths } from './assets.ts';
import { sendPage } from './html.ts';

// console/kept-token.ts connects it with the kept token.
const TOKEN_FIELD = `<label class="token"><span>Bearer token</span>
<input id="token" type="password" autocomplete="off" spellcheck="false" placeholder="paw_acct_…"></label>`;

type Explorer = {
  readonly path: string;
  readonly title: string;
  readonly entry: string;
  readonly main: string;
};

/** Adds the page `/graphiql`: GraphiQL with the GraphQL endpoint of the gateway. */
export function addGraphiqlPage(app: FastifyInstance): void {
  const pathOf = assetPaths();
  const workers = ['editor', 'json', 'graphql'].map(
    (name) => `data-${name}-worker="${pathOf(`${name}-worker`, '.js')}"`,
  );
  const main = `<h1>GraphiQL</h1><div id="graphiql" ${workers.join(' ')}></div>`;
  addExplorer(app, { path: '/graphiql', title: 'GraphiQL', entry: 'graphiql', main });
}

/** Adds the page `/reference`: the REST reference, which is Scalar with the OpenAPI document of the gateway. */
export function addReferencePage(app: FastifyInstance): void {
  const main = '<div id="reference"></div>';
  addExplorer(app, { path: '/reference', title: 'REST reference', entry: 'reference', main });
}

function addExplorer(app: FastifyInstance, { path, title, entry, main }: Explorer): void {
  const pathOf = assetPaths();
  const style = `<link rel="stylesheet" href="${pathOf(entry, '.css')}">`;
  const script = pathOf(entry, '.js');

  app.get(path, async (_request, reply) => {
    const nonce = randomBytes(16).toString('base64');
    return sendPage(reply, {
      path,
      title: `${title} · PAW gateway`,
      // Scalar reads the nonce of its first style element from a meta element. style-nonce.ts sets the nonce of the
      // others.
      head: `<meta property="csp-nonce" content="${nonce}">
${style}\n<script type="module" src="${script}" nonce="${nonce}"></script>`,
      controls: TOKEN_FIELD,
      main,
      policy: {
        'script-src': `'self'`,
        'worker-src': `'self'`,
        'connect-src': `'self'`,
        'font-src': 'data:',
        'style-src': `'self' 'nonce-${nonce}'`,
        // The libraries position lines and panels with style attributes.
        'style-src-attr': `'unsafe-inline'`,
      },
    });
  });
}
