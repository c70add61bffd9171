import { MAX_BODY_BYTES } from '../../src/http/errors/error-responses.ts';

// Requests that cost as much as possible. They are made by rules, not by an idea of what could be expensive.

/** A request of HTTP. */
export type HttpRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** A request, which is sent several times if a repetition takes another path through the program. */
export type Case = {
  readonly name: string;
  /** @param nonce makes a document a new one */
  readonly requestOf: (nonce: string) => HttpRequest;
  readonly times: number;
};

/** The values that a valid request needs. */
export type Known = {
  readonly project: string;
  readonly wallet: string;
  /** The name of an app, and its key. */
  readonly name: string;
  readonly privateKey: string;
  /** A project token of the app. */
  readonly token: string;
  /** The paths of the largest files, by the routes that serve them. */
  readonly files: Readonly<Record<string, string>>;
};

export const JSON_BODY = { 'content-type': 'application/json' };
const FORM_BODY = { 'content-type': 'application/x-www-form-urlencoded' };

const VIEWER = { query: 'query A($id: ID!) { node(id: $id) { id } }', operationName: 'A' };

/** Is replaced by another text in each request. */
export const NONCE = 'NONCE';

/** Returns valid requests to each kind of route, and to each other path that the gateway serves. */
export function validRequests(known: Known, routes: readonly string[]): readonly HttpRequest[] {
  const { wallet, name: app, privateKey } = known;
  const post = (path: string, body: object, headers = {}) => ({
    method: 'POST',
    path,
    headers: { ...JSON_BODY, ...headers },
    body: JSON.stringify(body),
  });
  const get = (path: string, headers = {}) => ({ method: 'GET', path, headers });
  const graphql = { ...VIEWER, variables: { id: wallet }, extensions: { persistedQuery: null } };
  const search = new URLSearchParams({ query: VIEWER.query, variables: JSON.stringify({ id: wallet }) });
  const client = new URLSearchParams({ client_id: app, client_secret: privateKey });
  const form = (path: string, parameters: string) => ({
    method: 'POST',
    path,
    headers: FORM_BODY,
    body: `${parameters}&${client}`,
  });
  const html = { accept: 'text/html,application/json;q=0.9' };
  const preflight = { origin: 'https://example.com', 'access-control-request-method': 'POST' };
  const keyed = { 'idempotency-key': `"${NONCE}"` };
  const title = `a ${NONCE}`;
  const mutation = (name: string, input: object) =>
    post(
      '/graphql',
      {
        query: `mutation ($input: ${name[0]?.toUpperCase()}${name.slice(1)}Input!) { ${name}(input: $input) { __typename } }`,
        variables: { input },
      },
      keyed,
    );
  const requests = [
    get('/nothing', html),
    get('/project/projects?pageSize=1&pageToken=x'),
    get('/project/projects?pageSize=100'),
    get(`/graphql?${search}`, { 'apollo-require-preflight': '1' }),
    { method: 'OPTIONS', path: '/graphql', headers: { ...preflight, 'access-control-request-headers': 'a' } },
    {
      ...post(`/wallet/${wallet}`, { title, description: 'a', network: 'x', password: 'a' }),
      method: 'PATCH',
    },
    { ...post(`/wallet/${wallet}`, { title }, keyed), method: 'PATCH' },
    post('/auth/apps', { title, active: true }, keyed),
    post('/auth/accounts:signinIdentity', { privateKey: { name: app, privateKey } }, keyed),
    post('/graphql', graphql, { accept: 'application/graphql-response+json' }),
    mutation('createApp', { title }),
    mutation('updateWallet', { name: wallet, title }),
    form('/oauth/token', 'grant_type=client_credentials&scope=read'),
    form('/oauth/revoke', `token=paw_app_${NONCE}`),
    form('/oauth/introspect', `token=paw_app_${NONCE}`),
    form('/oauth/introspect', `token=${known.token}`),
  ];
  return [...requests, ...pathsOf(routes, known).flatMap((path) => [get(path), get(path, html)])];
}

/** Returns all paths of GET. @throws for a route with a parameter of which no value is known */
function pathsOf(routes: readonly string[], { project, files }: Known): readonly string[] {
  const covers = `/covers/${project.replace('projects/', '')}.svg`;
  return routes.flatMap((route) => {
    const [method, pattern = ''] = route.split(' ');
    if (method !== 'GET' || pattern === '*') return [];
    // A rest of any path.
    if (!pattern.includes(':')) return pattern.replace('*', 'graphql');
    const path = { ...files, '/covers/:file': covers }[pattern];
    if (path === undefined) throw new Error(`No path of ${pattern} is known.`);
    return path;
  });
}

// The headers that Node reads.
const NODE_HEADERS = [
  'host',
  'connection',
  'content-length',
  'expect',
  'transfer-encoding',
  'upgrade',
  'keep-alive',
];

export const VALID_HEADERS: Readonly<Record<string, string>> = {
  authorization: 'Bearer ',
  'content-type': 'application/json',
  host: 'a',
};

const MAX_HEADER = 15_000;

// One letter stands for all, and one digit.
export const CHARACTERS = [...' \t!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~a1é'];

// Of those that separate the parts of a header or a document.
export const PAIRS = [...' \t"%()*+,-./:;<=>@[\\]{a1'].flatMap((a, _, all) => all.map((b) => a + b));

export const fill = (unit: string, room: number) => unit.repeat(Math.max(0, Math.floor(room / unit.length)));

/** Each header that is read × each character, as its whole value and in a valid value, and × each pair in a valid one. */
export function* headerCases(
  request: HttpRequest,
  read: readonly string[],
  isQuick: boolean,
): Generator<Case> {
  const pairs = isQuick ? [] : PAIRS;
  const { headers, path } = request;
  const route = `${request.method} ${path.split('?')[0]}`;
  for (const name of new Set([...read, ...NODE_HEADERS])) {
    const valid = headers[name] ?? VALID_HEADERS[name] ?? '';
    const repeated = (unit: string) => fill(unit, MAX_HEADER - valid.length);
    const values = [...CHARACTERS, `${valid}, `, `${valid};`].map(repeated);
    for (const value of [
      ...values.flatMap((text) => [text, `${valid}${text}x`, `${valid};${text}x`]),
      ...pairs.map((pair) => `${valid}${repeated(pair)}x`),
    ]) {
      const hostile = { ...request, headers: { ...headers, [name]: value } };
      yield { name: `${route} ${name}: ${value.slice(0, 20)}…`, requestOf: () => hostile, times: 1 };
    }
  }
  for (const unit of [...CHARACTERS, ...pairs]) {
    const text =
      encodeURI(unit).length === unit.length
        ? fill(unit, MAX_HEADER)
        : fill(encodeURIComponent(unit), MAX_HEADER);
    if (/\s|é/.test(text)) continue;
    for (const start of [path, `${path}${path.includes('?') ? '&' : '?'}`, `${path}/`]) {
      const hostile = { ...request, path: start + text };
      yield { name: `${request.method} ${start.slice(0, 30)}${unit}…`, requestOf: () => hostile, times: 1 };
    }
  }
}

const nested = (open: string, inner: string, close: string) => (room: number) => {
  const depth = Math.floor((room - inner.length) / (open.length + close.length));
  return open.repeat(depth) + inner + close.repeat(depth);
};

const listOf = (item: string) => (room: number) => `[${fill(`${item},`, room - 3)}${item}]`;

const numbered = (open: string, item: (n: number) => string, close: string) => (room: number) =>
  `${open}${Array.from({ length: Math.floor(room / (item(99_999).length + 1)) }, (_, n) => item(n)).join(',')}${close}`;

const ITEMS = ['{}', '[]', '0', 'null', '""', 'true', '"wallets/01JZZZZZZZZZZZZZZZZZZZZZZZ"', '{"a":[]}'];

/** JSON of each type, as large as there is room. */
const JSON_VALUES: Readonly<Record<string, (room: number) => string>> = {
  text: (room) => `"${fill('a', room - 2)}"`,
  'escaped text': (room) => `"${fill('\\u0001', room - 2)}"`,
  emoji: (room) => `"${fill('🦊', room / 2 - 2)}"`,
  'lone surrogates': (room) => `"${fill('\\ud800', room - 2)}"`,
  digits: (room) => fill('9', room),
  decimals: (room) => `0.${fill('3', room - 2)}`,
  'nested lists': nested('[', '', ']'),
  'nested objects': nested('{"a":', '0', '}'),
  ...Object.fromEntries(ITEMS.map((item) => [`a list of ${item}`, listOf(item)])),
  'a list of different texts': numbered('[', (n) => `"${n}"`, ']'),
  'an object of many fields': numbered('{', (n) => `"a${n}":0`, '}'),
  'an object of many indexes': numbered('{', (n) => `"${n}":0`, '}'),
  'an object with a long name': (room) => `{"${fill('a', room - 6)}":0}`,
};

/** Each position in the body of a request × JSON of each type. */
export function* bodyCases(
  request: HttpRequest,
  label = `${request.method} ${request.path}`,
): Generator<Case> {
  const body: unknown = JSON.parse(request.body ?? '{}');
  for (const path of positionsOf(body)) {
    for (const [type, jsonOf] of Object.entries(JSON_VALUES)) {
      const rest = JSON.stringify(replaced(body, path, MARK));
      const value = jsonOf(MAX_BODY_BYTES - rest.length - 100);
      const requestOf = (nonce: string) => ({
        ...request,
        body: rest.replace(JSON.stringify(MARK), () => value).replaceAll(NONCE, nonce),
      });
      yield { name: `${label}, ${path.join('.') || 'body'}: ${type}`, requestOf, times: 1 };
    }
  }
}

/** Each parameter of a form × each character and pair, up to the limit of a form. */
export function* formCases(request: HttpRequest): Generator<Case> {
  const form = new URLSearchParams(request.body);
  for (const unit of [...CHARACTERS, ...PAIRS, 'a=&', '%41']) {
    const text = fill(unit, MAX_FORM - (request.body?.length ?? 0));
    const bodies = form.keys().map((name): [string, string] => {
      const others = new URLSearchParams(form);
      others.delete(name);
      return [name, `${others}&${name}=${text}`];
    });
    for (const [place, body] of [['body', text], ['a parameter', `${form}&${text}`], ...bodies]) {
      const hostile = { ...request, body: body ?? '' };
      yield { name: `${request.path}, ${place}: ${unit.repeat(5)}…`, requestOf: () => hostile, times: 1 };
    }
  }
}

export function withNonce({ method, path, headers, body }: HttpRequest, nonce: string): HttpRequest {
  const filled = (text: string) => text.replaceAll(NONCE, nonce);
  return {
    method,
    path: filled(path),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, filled(value)])),
    ...(body !== undefined && { body: filled(body) }),
  };
}

const MAX_FORM = 4096;

const MARK = 'HERE';

type Path = readonly string[];

/** Returns the paths of all values in JSON, and of an unknown field in each object. */
export function positionsOf(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [path];
  const fields = Object.entries(value).flatMap(([name, field]) => positionsOf(field, [...path, name]));
  return [path, ...fields, [...path, 'unknown']];
}

export function replaced(value: unknown, [name, ...rest]: Path, by: unknown): unknown {
  if (name === undefined) return by;
  const object = value as Readonly<Record<string, unknown>>;
  return { ...object, [name]: replaced(object[name], rest, by) };
}
