import type { FastifyReply } from 'fastify';
import { hashSource, readStyle, sendPage } from './html.ts';

// The script that Apollo Server's own page loads, and the origin of the frame that it opens.
const APOLLO_SCRIPT =
  'https://embeddable-sandbox.cdn.apollographql.com/v2/embeddable-sandbox.umd.production.min.js';
const APOLLO_FRAME = 'https://sandbox.embed.apollographql.com';

const DOCUMENT = `query ListProjects {
  projects(first: 10) {
    totalCount
    nodes { name title wallets(first: 1) { nodes { name title address } } }
  }
}
`;

// Source: the types of @apollo/sandbox 2.7.
const OPTIONS = {
  target: '#sandbox',
  initialState: {
    document: DOCUMENT,
    // The headers are in the URL of the frame, so the page never fills in a token.
    headers: { Authorization: 'Bearer <token>' },
    includeCookies: false,
    pollForSchemaUpdates: false,
  },
  hideCookieToggle: true,
  endpointIsEditable: false,
  // The schema needs no token, but a placeholder is refused.
  sendOperationHeadersInIntrospection: false,
  runTelemetry: false,
  // The policy allows no style attribute.
  allowDynamicStyles: false,
};

// The frame sends messages as soon as it is loaded.
const SCRIPT = `addEventListener('message', ({ origin }) => {
  if (origin === '${APOLLO_FRAME}') document.querySelector('#offline')?.remove();
});
if (window.EmbeddedSandbox) {
  new EmbeddedSandbox({ initialEndpoint: location.origin + location.pathname, ...${JSON.stringify(OPTIONS)} });
  document.querySelector('iframe').title = 'Apollo Sandbox';
}`;

const STYLE = readStyle('sandbox');

/** Sends the page with Apollo Sandbox, which browsers get at the GraphQL endpoint. */
export function sendSandboxPage(reply: FastifyReply): FastifyReply {
  const other = reply.server.hasRoute({ method: 'GET', url: '/graphiql' })
    ? ' Without access to it, use <a href="./graphiql">GraphiQL</a>, which this gateway serves itself.'
    : '';
  return sendPage(reply, {
    path: '/graphql',
    title: 'Apollo Sandbox · PAW gateway',
    style: STYLE,
    main: `<h1>Apollo Sandbox</h1>
<p>To send requests, replace <code>&lt;token&gt;</code> under <b>Headers</b> with your token.</p>
<p id="offline">Apollo Sandbox loads from the internet.${other}</p>
<div id="sandbox"></div>
<script src="${APOLLO_SCRIPT}"></script>
<script>${SCRIPT}</script>`,
    policy: {
      'script-src': `${APOLLO_SCRIPT} ${hashSource(SCRIPT)}`,
      'frame-src': APOLLO_FRAME,
      'connect-src': `'self'`,
    },
  });
}
