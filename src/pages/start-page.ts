import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { escapeHtml, hashSource, sendPage } from './page.ts';

/** The content of the start page. */
export type StartPage = {
  readonly version: string;
  /** Returns the public URL of the gateway, without a trailing slash. */
  readonly publicUrl: () => string;
  /** Whether browsers get Apollo Sandbox at `/graphql`. */
  readonly sandbox: boolean;
};

const STYLE = readFileSync(new URL('./browser/start-page.css', import.meta.url), 'utf8');

const SCRIPT = readFileSync(new URL('./browser/start-page.js', import.meta.url), 'utf8');

// The ids of fictitious projects: the route of cover images accepts every valid id.
const COVERS = ['13', '1J', '0X', '09', '0Q', '1G', '0K', '0A'].map((end) => `01PAW${end.padStart(21, '0')}`);

const REQUESTS = [
  {
    name: 'GraphQL',
    path: '/graphql',
    about: 'One endpoint, with the conventions of Relay:',
    curl: (url: string) =>
      `curl ${url}/graphql \\\n  -H "Authorization: Bearer $TOKEN" \\\n  -H "Content-Type: application/json" \\\n  -d '{"query":"{ projects(first: 5) { nodes { title } } }"}'`,
  },
  {
    name: 'REST',
    path: '',
    about: 'Four paths, with JSON bodies, under',
    curl: (url: string) =>
      `curl "${url}/project/projects?pageSize=5" \\\n  -H "Authorization: Bearer $TOKEN"`,
  },
] as const;

const LINKS = [
  { path: '/console', name: 'Console', text: 'The projects, wallets and apps that a token sees.' },
  { path: '/graphiql', name: 'GraphiQL', text: 'Editor for GraphQL operations, with schema documentation.' },
  {
    path: '/docs',
    name: 'REST docs',
    text: 'Documentation of the four paths, with example requests to send.',
  },
  { path: '/graphql', name: 'Apollo Sandbox', text: 'Another GraphQL editor, loaded from the internet.' },
  { path: '/schema.graphql', name: 'GraphQL schema', text: 'The contract, for code generators.' },
  { path: '/openapi.json', name: 'OpenAPI document', text: 'The REST contract, for code generators.' },
  { path: '/healthz', name: 'Health', text: 'Liveness probe of the process.' },
  { path: '/readyz', name: 'Readiness', text: 'Readiness probe of the server and its database.' },
] as const;

/** Adds the page `/`, with example requests and links to all other pages and documents. */
export function addStartPage(app: FastifyInstance, { version, publicUrl, sandbox }: StartPage): void {
  app.get('/', async (_request, reply) => {
    const url = escapeHtml(publicUrl());
    const links = LINKS.filter(
      ({ path }) => app.hasRoute({ method: 'GET', url: path }) && (path !== '/graphql' || sandbox),
    );
    return sendPage(reply, {
      path: '/',
      title: 'PAW gateway',
      style: STYLE,
      main: `<div class="start">
<h1>Projects, apps and wallets</h1>
<p class="lead">One gateway, with GraphQL and REST. <span class="version">Version ${version}</span></p>
<div class="covers" role="img" aria-label="Cover images of eight projects">${COVERS.map(cover).join('')}</div>
<h2>First requests</h2>
<p><code>TOKEN</code> is an account token: <code>npm run demo</code> prints one, and <code>paw token create</code> issues one.</p>
${REQUESTS.map((request) => requestCard(request, url)).join('\n')}
<h2>Pages and documents</h2>
<ul class="links">${links.map(linkItem).join('\n')}</ul>
</div>
<script>${SCRIPT}</script>`,
      policy: { 'script-src': hashSource(SCRIPT) },
    });
  });
}

function cover(id: string): string {
  return `<img src="./covers/${id}.svg" alt="" width="96" height="96">`;
}

function requestCard({ name, path, about, curl }: (typeof REQUESTS)[number], url: string): string {
  // The script of the page replaces the content of each `data-url` element by the URL in the address bar.
  const base = `<span data-url>${url}</span>`;
  const id = `${name.toLowerCase()}-request`;
  return `<section class="request" aria-labelledby="${id}-name">
<h3 id="${id}-name">${name}</h3>
<p>${about} <code>${base}${path}</code></p>
<div class="copyable"><pre id="${id}" tabindex="0"><code>${curl(base)}</code></pre><button type="button" data-copy-source="${id}" aria-label="Copy the ${name} request">Copy</button></div>
</section>`;
}

function linkItem({ path, name, text }: (typeof LINKS)[number]): string {
  return `<li><a href=".${path}">${name}</a><code>${path}</code><span>${text}</span></li>`;
}
