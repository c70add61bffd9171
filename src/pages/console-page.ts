import type { FastifyInstance } from 'fastify';
import { assetPaths } from './assets.ts';
import { sendPage } from './html.ts';

/**
 * Adds the page `/console`, a client of the GraphQL API which shows and changes the resources that a token has access to.
 *
 * @param command how the operator calls the command `paw`
 */
export function addConsolePage(app: FastifyInstance, command: string): void {
  const pathOf = assetPaths();
  const head = `<link rel="stylesheet" href="${pathOf('console', '.css')}">
<script type="module" src="${pathOf('console', '.js')}"></script>`;

  app.get('/console/', async (_request, reply) => reply.redirect('../console', 308));
  app.get('/console', async (_request, reply) =>
    sendPage(reply, {
      path: '/console',
      title: 'Console · PAW gateway',
      head,
      links: `<span id="links"><a href="./console" aria-current="page">Console</a></span>`,
      controls: `<div id="controls"></div>`,
      main: `<div id="console" data-command="${command}">
<noscript>The console needs JavaScript.</noscript>
</div>`,
      policy: {
        'script-src': `'self'`,
        'connect-src': `'self'`,
        'style-src': `'self'`,
        // The titles of an account are shown as text only. The browser refuses every other way.
        'require-trusted-types-for': `'script'`,
        'trusted-types': `'none'`,
      },
    }),
  );
}
