import type { FastifyInstance } from 'fastify';
import { graphqlRequest, restRequest, shellVariables } from '../model/fields/example-requests.ts';
import { CODE_BLOCKS, escapeHtml, hashSource, readStyle, sendPage } from './html.ts';

/** The content of the start page. */
export type StartPage = {
  readonly version: string;
  /** Returns the public URL of the gateway, without a trailing slash. */
  readonly publicUrl: () => string;
  /** How the operator calls the command `paw`. */
  readonly command: string;
  /** Whether browsers get Apollo Sandbox at `/graphql`. */
  readonly sandbox: boolean;
};

type Link = { readonly path: string; readonly name: string; readonly text: string };

type Example = { readonly name: string; readonly text: string; readonly lines: (url: string) => string };

const STYLE = readStyle('content') + readStyle('start-page');

const CONSOLE = `<div class="console">
<div><h2>Console</h2>
<p>Your projects, wallets and apps, and what your token may do with them.</p></div>
<a href="./console">Open the console</a>
</div>`;

const EXPLORERS: readonly Link[] = [
  { path: '/graphiql', name: 'GraphiQL', text: 'An editor for GraphQL, with examples and the schema.' },
  {
    path: '/reference',
    name: 'REST reference',
    text: 'A reference of the four REST paths, with requests to send.',
  },
  { path: '/graphql', name: 'Apollo Sandbox', text: 'Another editor for GraphQL, loaded from the internet.' },
];

const examplesWith = (command: string): readonly Example[] => [
  {
    name: 'variables',
    text: `The gateway and your token. <code>${command} demo</code> and <code>${command} init --title Acme</code> print these lines with a token.`,
    lines: (url) => shellVariables(url, 'paw_acct_…'),
  },
  {
    name: 'GraphQL request',
    text: 'GraphQL: one path, with the conventions of Relay.',
    lines: () => graphqlRequest('{ projects(first: 2) { totalCount nodes { name title } } }'),
  },
  {
    name: 'REST request',
    text: 'REST: four paths, with JSON bodies.',
    lines: () => restRequest('/project/projects?pageSize=2'),
  },
];

const GUIDES: readonly Link[] = [
  { path: '/docs', name: 'Documentation', text: 'All pages, for clients and for operators.' },
  {
    path: '/docs/api.md',
    name: 'API reference',
    text: 'Tokens, requests, pages, errors and limits of both APIs.',
  },
  {
    path: '/docs/clients.md',
    name: 'Example programs',
    text: 'For fetch, Apollo Client, urql, Relay and OAuth.',
  },
  {
    path: '/docs/browser.md',
    name: 'Web applications',
    text: 'Which token to use in a browser, CORS, and types.',
  },
];

const CONTRACTS: readonly Link[] = [
  { path: '/schema.graphql', name: 'GraphQL schema', text: 'For code generators and editors.' },
  { path: '/openapi.json', name: 'OpenAPI document', text: 'For generated REST clients.' },
];

/** Adds the page `/`: the console, the explorers, what a client needs, and the contracts, as far as they are served. */
export function addStartPage(
  app: FastifyInstance,
  { version, publicUrl, command, sandbox }: StartPage,
): void {
  const examples = examplesWith(command);
  const exists = ({ path }: Pick<Link, 'path'>) =>
    path === '/graphql'
      ? sandbox
      : app.hasRoute({ method: 'GET', url: path.replace(/^\/docs\/.*/, '/docs/:page') });

  app.get('/', async (_request, reply) =>
    sendPage(reply, {
      path: '/',
      title: 'PAW gateway',
      style: STYLE,
      main: `<div class="plain">
<h1>Projects, apps and wallets</h1>
<p>One gateway, with GraphQL and REST.</p>
${exists({ path: '/console' }) ? CONSOLE : ''}
${section('Explorers', cards(EXPLORERS.filter(exists)))}
${section('Clients', examples.map((each) => example(each, publicUrl())).join('\n') + cards(GUIDES.filter(exists)))}
${section('Contracts', cards(CONTRACTS.filter(exists)))}
<footer class="health">Version ${version} <a href="./healthz">Liveness</a> <a href="./readyz">Readiness</a></footer>
</div>
<script>${CODE_BLOCKS}</script>`,
      policy: { 'script-src': hashSource(CODE_BLOCKS) },
    }),
  );
}

function section(title: string, content: string): string {
  return content && `<section><h2>${title}</h2>${content}</section>`;
}

function example({ name, text, lines }: Example, url: string): string {
  const id = name.toLowerCase().replace(' ', '-');
  // The script of the page replaces the content of the `data-url` element by the URL in the address bar.
  const code = lines(`<span data-url>${escapeHtml(url)}</span>`);
  return `<div class="example">
<p>${text}</p>
<div class="code"><pre id="${id}" tabindex="0"><code>${code}</code></pre>
<output></output><button type="button" data-copies="${id}" aria-label="Copy the ${name}">Copy</button></div>
</div>`;
}

function cards(links: readonly Link[]): string {
  const items = links.map(
    ({ path, name, text }) => `<li><a href=".${path}">${name}</a><p>${text}</p><code>${path}</code></li>`,
  );
  return items.length === 0 ? '' : `<ul class="cards">${items.join('\n')}</ul>`;
}
