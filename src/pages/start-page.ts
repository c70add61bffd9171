import type { FastifyInstance } from 'fastify';
import { prefersHtml, varyBy } from '../http/request/accept.ts';
import { JSON_TYPE } from '../http/server/json.ts';
import { sendDocument } from '../http/server/public-document.ts';
import { readStyle, sendPage } from './html.ts';

/** The content of the start page. */
export type StartPage = {
  readonly version: string;
  /** Returns the public URL of the gateway, without a trailing slash. */
  readonly publicUrl: () => string;
  /** Whether browsers get Apollo Sandbox at `/graphql`. */
  readonly sandbox: boolean;
};

/** The links by their names in the JSON document. */
const LINKS = {
  console: { path: '/console', text: 'Console' },
  graphiql: { path: '/graphiql', text: 'GraphiQL' },
  graphql: { path: '/graphql', text: 'GraphQL' },
  sandbox: { path: '/graphql', text: 'Apollo Sandbox (from the internet)' },
  reference: { path: '/reference', text: 'REST reference' },
  documentation: { path: '/docs', text: 'Documentation' },
  gettingStarted: { path: '/docs/getting-started.md', text: 'Getting started' },
  api: { path: '/docs/api.md', text: 'API reference' },
  schema: { path: '/schema.graphql', text: 'GraphQL schema' },
  openapi: { path: '/openapi.json', text: 'OpenAPI document' },
  llms: { path: '/llms.txt', text: 'llms.txt' },
  liveness: { path: '/healthz', text: 'Liveness' },
  readiness: { path: '/readyz', text: 'Readiness' },
} as const;

type LinkName = keyof typeof LINKS;

const NAMES = Object.keys(LINKS) as readonly LinkName[];

/** The cards. The first link that is served is the heading of its card. */
const CARDS: readonly { readonly text: string; readonly links: readonly LinkName[] }[] = [
  {
    text: 'Find and change the projects, wallets and apps that your token has access to.',
    links: ['console'],
  },
  {
    text: 'Send requests to the GraphQL API and the REST API from your browser.',
    links: ['graphiql', 'sandbox', 'reference'],
  },
  {
    text: 'Guides and reference pages for developers and operators.',
    links: ['documentation', 'gettingStarted', 'api'],
  },
];

const FOOTER: readonly LinkName[] = ['schema', 'openapi', 'llms', 'liveness', 'readiness'];

const STYLE = readStyle('content') + readStyle('start-page');

/** Adds `/`: a page with links to everything that is served or, for programs, the same links as JSON. They need no token. */
export function addStartPage(app: FastifyInstance, { version, publicUrl, sandbox }: StartPage): void {
  const isServed = (name: LinkName) =>
    (name !== 'sandbox' || sandbox) &&
    app.hasRoute({ method: 'GET', url: LINKS[name].path.replace(/^\/docs\/.*/, '/docs/:page') });
  const anchors = (names: readonly LinkName[]) =>
    names.filter(isServed).map((name) => `<a href=".${LINKS[name].path}">${LINKS[name].text}</a>`);
  const card = ({ text, links }: (typeof CARDS)[number]) => {
    const [heading, ...more] = anchors(links);
    const others = more.length > 0 ? `<p>${more.join(' · ')}</p>` : '';
    return heading ? `<li><h2>${heading}</h2><p>${text}</p>${others}</li>` : '';
  };

  app.get('/', async (request, reply) => {
    varyBy(reply, 'accept');
    if (!prefersHtml(request.headers.accept, ['application/json'])) {
      const served = NAMES.filter(isServed).map((name) => [name, publicUrl() + LINKS[name].path]);
      const document = { name: 'PAW gateway', version, links: Object.fromEntries(served) };
      return sendDocument(reply, JSON_TYPE, JSON.stringify(document, undefined, 2));
    }
    return sendPage(reply, {
      path: '/',
      title: 'PAW gateway',
      style: STYLE,
      main: `<div class="plain">
<h1>Projects, apps and wallets</h1>
<p>One gateway, with GraphQL and REST.</p>
<ul class="cards">${CARDS.map(card).join('\n')}</ul>
<footer>Version ${version} ${anchors(FOOTER).join(' ')}</footer>
</div>`,
      policy: {},
    });
  });
}
