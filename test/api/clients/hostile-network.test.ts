import type { ServerResponse } from 'node:http';
import { beforeAll, expect, test } from 'vitest';
import { createFetch, GatewayError } from '../../../src/client/client.ts';
import { useGateway, useTenant } from '../../support/gateway.ts';
import { forwarder, startHttpServer } from '../../support/http-server.ts';
import { graphqlBody } from '../../support/requests.ts';

type Answer = Awaited<ReturnType<Awaited<ReturnType<typeof forwarder>>>>;
type Try = (forward: () => Promise<Answer>, response: ServerResponse) => Promise<unknown> | unknown;

const gateway = useGateway();
const tenant = useTenant(gateway);
/** What happens to the next tries of a case, by its path. */
const plans = new Map<string, (keyof typeof FAULTS)[]>();
let thefts = 0;
let url: string;
let thief: string;

const page =
  (status: number, headers = {}) =>
  (response: ServerResponse) =>
    response.writeHead(status, { 'content-type': 'text/html', ...headers }).end('<html>');

/** A fault: the gateway gets the request or not, and the client something else. */
const FAULTS = {
  none: async (forward, response) => {
    const { status, headers, body } = await forward();
    response.writeHead(status, headers).end(body);
  },
  'lost before': (_, response) => response.destroy(),
  'lost after': (forward, response) => forward().then(() => response.destroy()),
  cut: async (forward, response) => {
    const { status, headers, body } = await forward();
    response.writeHead(status, { ...headers, 'content-length': body.length + 9 });
    response.write(body, () => response.destroy());
  },
  401: (_, response) =>
    response
      .writeHead(401, { 'content-type': 'application/json' })
      .end('{"error":{"details":[{"reason":"TOKEN_INVALID"}]}}'),
  429: (_, response) => page(429)(response),
  '502 before': (_, response) => page(502)(response),
  '502 after': (forward, response) => forward().then(() => page(502)(response)),
  '503 before': (_, response) => page(503, { 'retry-after': '-5' })(response),
  '503 after': (forward, response) => forward().then(() => page(503)(response)),
  '504 after': (forward, response) => forward().then(() => page(504)(response)),
  'redirect 307': (_, response) => page(307, { location: thief })(response),
  'redirect 302 after': (forward, response) => forward().then(() => page(302, { location: thief })(response)),
  'HTML before': (_, response) => page(200)(response),
  'HTML after': (forward, response) => forward().then(() => page(200)(response)),
  slow: async (forward) => void (await forward()),
} satisfies Readonly<Record<string, Try>>;

beforeAll(async () => {
  const others = await startHttpServer((_, response) => {
    thefts += 1;
    response.end('{"name":"stolen"}');
  });
  const proxy = await startHttpServer(async (request, response) => {
    const [, id = '', path = ''] = /^\/(\w+)(\/.*)$/.exec(request.url ?? '') ?? [];
    const forward = await forwarder(request);
    const fault = path.startsWith('/oauth') ? 'none' : (plans.get(id)?.shift() ?? 'none');
    await FAULTS[fault](() => forward(gateway.url + path), response);
  });
  [thief, url] = [others.url, proxy.url];
  return () => {
    for (const { stop } of [others, proxy]) stop();
  };
});

const OPERATION = 'createApp(input: $input) { app { name } }';
const MUTATION = `mutation ($input: CreateAppInput!) { ${OPERATION} }`;
const JSON_TYPE = { 'content-type': 'application/json' };

function graphql(title: string, query: string | undefined, others = {}): [string, RequestInit] {
  const body = JSON.stringify({ query, variables: { input: { title, active: true } }, ...others });
  return ['/graphql', { method: 'POST', headers: JSON_TYPE, body }];
}

/** Requests that create an app with a title, by form. */
const FORMS: Readonly<Record<string, (title: string) => [string, RequestInit]>> = {
  REST: (title) => [
    '/auth/apps',
    { method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ title, active: true }) },
  ],
  'with a key of the caller': (title) => [
    '/auth/apps',
    {
      method: 'POST',
      headers: { ...JSON_TYPE, 'idempotency-key': title.replaceAll(' ', '-') },
      body: JSON.stringify({ title, active: true }),
    },
  ],
  GraphQL: (title) => graphql(title, MUTATION),
  'a line break first': (title) => graphql(title, `\n${MUTATION}`),
  'a fragment first': (title) =>
    graphql(
      title,
      `fragment A on App{name}mutation($input: CreateAppInput!){createApp(input:$input){app{...A}}}`,
    ),
  'comments first': (title) => graphql(title, `# "\n,#{ query\r${MUTATION}`),
  'a byte order mark first': (title) => graphql(title, `\uFEFF${MUTATION}`),
  'several operations': (title) =>
    graphql(title, `query A { viewer { __typename } }\n${MUTATION.replace('mutation', 'mutation B')}`, {
      operationName: 'B',
    }),
  'a hash without text': (title) => graphql(title, undefined, { extensions: { persistedQuery } }),
};

const persistedQuery = { version: 1, sha256Hash: '' };

beforeAll(async () => {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(MUTATION)));
  persistedQuery.sha256Hash = hash.toHex();
  const [path, init] = graphql('', MUTATION, { extensions: { persistedQuery } });
  const headers = { ...JSON_TYPE, authorization: `Bearer ${tenant.token}` };
  await fetch(gateway.url + path, { ...init, headers });
});

type Outcome = { readonly title: string; readonly applied: GatewayError['applied'] };

/** Sends a request under faults. @returns whether the change was made, as far as the client knows it */
async function send(form: string, faults: readonly (keyof typeof FAULTS)[]): Promise<Outcome> {
  const title = `${form} ${faults.join(' ')}`;
  const id = `c${plans.size}`;
  plans.set(id, [...faults]);
  const isSlow = faults.includes('slow');
  const client = createFetch({ url: `${url}/${id}`, token: tenant.token, ...(isSlow && { timeoutMs: 800 }) });
  const request = FORMS[form]?.(title) ?? ['', {}];
  try {
    const response = await client(...request);
    return { title, applied: response.ok ? 'yes' : 'no' };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return { title, applied: error.applied };
  }
}

/** Returns how many apps have each title. */
async function countApps(): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  let after = null;
  do {
    const query = `query ($after: String) {
      projects { nodes { apps(first: 100, after: $after) { nodes { title } pageInfo { hasNextPage endCursor } } } }
    }`;
    const { data } = await graphqlBody(gateway.url, tenant.token, query, { after });
    const [{ apps }] = data.projects.nodes;
    for (const { title } of apps.nodes) counts.set(title, (counts.get(title) ?? 0) + 1);
    after = apps.pageInfo.hasNextPage ? apps.pageInfo.endCursor : null;
  } while (after);
  return counts;
}

const MADE = { yes: [1], no: [0], unknown: [0, 1] } as const;

test('whatever happens to two tries, nothing is made twice, and `applied` is true', async () => {
  const names = Object.keys(FAULTS) as (keyof typeof FAULTS)[];
  const pairs = names.flatMap((first) => names.map((second) => [first, second] as const));
  const singles = names.map((fault) => [fault] as const);
  const outcomes: Outcome[] = [];
  for (const form of Object.keys(FORMS)) {
    // The other forms differ in how the client finds the mutation, and not in what it does after a fault.
    const cases = form === 'REST' || form === 'GraphQL' ? pairs : singles;
    outcomes.push(...(await Promise.all(cases.map((faults) => send(form, faults)))));
  }
  const counts = await countApps();
  const wrong = outcomes.filter(
    ({ title, applied }) => !MADE[applied].some((count) => count === (counts.get(title) ?? 0)),
  );
  expect(wrong).toEqual([]);
  // A network that recovers leaves no doubt, nor does a refusal.
  const isPassing = (title: string) => !/slow|401/.test(title);
  const unclear = outcomes.filter(({ title, applied }) => applied !== 'yes' && isPassing(title));
  expect(unclear).toEqual([]);
  expect(outcomes.filter(({ applied }) => applied === 'no').length).toBeGreaterThan(0);
  expect(thefts).toBe(0);
});
