import { type GraphQLInputType, getNamedType, getNullableType, isInputObjectType, isListType } from 'graphql';
import { createSchema } from '../../src/graphql/schema.ts';
import { MAX_BODY_BYTES } from '../../src/http/http-error.ts';
import { SHAPES, type Shape } from './documents.ts';
import { isParsed, largestSize } from './validation.ts';

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
};

const JSON_BODY = { 'content-type': 'application/json' };
const FORM_BODY = { 'content-type': 'application/x-www-form-urlencoded' };

const VIEWER = { query: 'query A($id: ID!) { node(id: $id) { id } }', operationName: 'A' };

/** Returns valid requests to each kind of route. */
export function validRequests({ wallet, name: app, privateKey }: Known): readonly HttpRequest[] {
  const post = (path: string, body: object, headers = {}) => ({
    method: 'POST',
    path,
    headers: { ...JSON_BODY, ...headers },
    body: JSON.stringify(body),
  });
  const get = (path: string, headers = {}) => ({ method: 'GET', path, headers });
  const graphql = { ...VIEWER, variables: { id: wallet }, extensions: { persistedQuery: null } };
  const search = new URLSearchParams({ query: VIEWER.query, variables: JSON.stringify({ id: wallet }) });
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: app, scope: 'read' });
  const html = { accept: 'text/html,application/json;q=0.9' };
  const preflight = { origin: 'https://example.com', 'access-control-request-method': 'POST' };
  return [
    get('/healthz'),
    get('/nothing', html),
    get('/schema.graphql'),
    get('/assets/console.js', { 'accept-encoding': 'gzip, br' }),
    get('/project/projects?pageSize=1&pageToken=x'),
    get(`/graphql?${search}`, { 'apollo-require-preflight': '1' }),
    get('/graphql', html),
    { method: 'OPTIONS', path: '/graphql', headers: { ...preflight, 'access-control-request-headers': 'a' } },
    {
      ...post(`/wallet/${wallet}`, { title: 'a', description: 'a', network: 'x', password: 'a' }),
      method: 'PATCH',
    },
    post('/auth/apps', { title: 'a', active: true }, { 'idempotency-key': '"a"' }),
    post('/auth/accounts:signinIdentity', { privateKey: { name: app, privateKey } }),
    post('/graphql', graphql, { accept: 'application/graphql-response+json' }),
    { method: 'POST', path: '/oauth/token', headers: FORM_BODY, body: `${form}&client_secret=${privateKey}` },
    { method: 'POST', path: '/oauth/revoke', headers: FORM_BODY, body: 'token=paw_app_0' },
  ];
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

const VALID_HEADERS: Readonly<Record<string, string>> = {
  authorization: 'Bearer ',
  'content-type': 'application/json',
  host: 'a',
};

const MAX_HEADER = 15_000;

// One letter stands for all, and one digit.
const CHARACTERS = [...' \t!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~a1é'];

// Of those that separate the parts of a header or a document.
const PAIRS = [...' \t"%()*+,-./:;<=>@[\\]{a1'].flatMap((a, _, all) => all.map((b) => a + b));

const fill = (unit: string, room: number) => unit.repeat(Math.max(0, Math.floor(room / unit.length)));

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
        body: rest.replace(JSON.stringify(MARK), () => value).replace('# NONCE', `# ${nonce}`),
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

const MAX_FORM = 4096;

const MARK = 'HERE';

type Path = readonly string[];

/** Returns the paths of all values in JSON, and of an unknown field in each object. */
function positionsOf(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [path];
  const fields = Object.entries(value).flatMap(([name, field]) => positionsOf(field, [...path, name]));
  return [path, ...fields, [...path, 'unknown']];
}

function replaced(value: unknown, [name, ...rest]: Path, by: unknown): unknown {
  if (name === undefined) return by;
  const object = value as Readonly<Record<string, unknown>>;
  return { ...object, [name]: replaced(object[name], rest, by) };
}

const schema = createSchema(true);

/** Each argument of each field of Query and Mutation, as a variable × JSON of each type. Valid, compiled and new documents. */
export function* variableCases({ wallet }: Known): Generator<Case> {
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    for (const { name, args } of Object.values(type?.getFields() ?? {})) {
      const definitions = args.map((each) => `$${each.name}: ${each.type}`).join(' ');
      const uses = args.map((each) => `${each.name}: $${each.name}`).join(' ');
      if (args.length === 0) continue;
      const document = `${type === schema.getQueryType() ? 'query' : 'mutation'} (${definitions}) { ${name}(${uses}) { __typename } }`;
      const variables = Object.fromEntries(args.map((each) => [each.name, exampleOf(each.type, wallet)]));
      const request = (query: string): HttpRequest => ({
        method: 'POST',
        path: '/graphql',
        headers: JSON_BODY,
        body: JSON.stringify({ query, variables }),
      });
      yield { name: `${name}`, requestOf: () => request(document), times: 3 };
      yield* bodyCases(request(document), `known ${name}`);
      yield* bodyCases(request(`${document} # NONCE`), `new ${name}`);
    }
  }
}

function exampleOf(type: GraphQLInputType, wallet: string): unknown {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return [];
  const named = getNamedType(type);
  if (!isInputObjectType(named)) return { Int: 1, Boolean: true }[named.name] ?? wallet;
  return Object.fromEntries(
    Object.values(named.getFields()).map((field) => [field.name, exampleOf(field.type, wallet)]),
  );
}

type Wrapper = (size: number, inner: string) => string;

const times = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => part(index)).join(' ');

/** Selections of a project in which a selection of a project is repeated. */
const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  'different objects': (n, inner) => times(n, (i) => `a${i}: apps { nodes { project { ${inner} } } }`),
  'equal objects': (n, inner) => times(n, () => `apps { nodes { project { ${inner} } } }`),
  'pages of 100': (n, inner) =>
    times(n, (i) => `a${i}: wallets(first: 100) { nodes { project { ${inner} } } }`),
  'inline fragments': (n, inner) => times(n, () => `... { ${inner} }`),
  'nested inline fragments': (n, inner) => `${'... { '.repeat(n)}${inner}${' }'.repeat(n)}`,
  'inline fragments of types': (n, inner) => times(n, () => `... on Node { ... on Project { ${inner} } }`),
  'nested objects': (n, inner) => `${'apps { nodes { project { '.repeat(n)}${inner}${' } } }'.repeat(n)}`,
  directives: (n, inner) => `... ${times(n, () => '@include(if: true)')} { ${inner} }`,
};

const LEAVES: Readonly<Record<string, Shape>> = {
  'different fields': (n) => times(n, (i) => `b${i}: description`),
  'equal fields': (n) => times(n, () => 'description'),
  'unknown fields': (n) => times(n, (i) => `descriptio${i}`),
  'different arguments': (n) => `apps(${times(n, (i) => `a${i}: 1`)}) { totalCount }`,
  'equal arguments': (n) => `apps(${times(n, () => 'first: 1')}) { totalCount }`,
  lists: (n) => `apps(first: [${times(n, () => '1')}]) { totalCount }`,
  objects: (n) => `apps(first: {${times(n, (i) => `a${i}: 1`)}}) { totalCount }`,
  'nested values': (n) => `apps(first: ${'[{a:'.repeat(n)}1${'}]'.repeat(n)}) { totalCount }`,
  directives: (n) => `id ${times(n, () => '@skip(if: false)')}`,
  'unknown directives': (n) => `id ${times(n, (i) => `@a${i}`)}`,
  'unknown fragments': (n) => times(n, (i) => `...F${i}`),
  typename: (n) => times(n, (i) => `b${i}: __typename`),
};

/** The documents of the grammar: each wrapper × each wrapper or leaf, and the shapes of `documents.ts`. */
function shapes(project: string): Readonly<Record<string, Shape>> {
  const ids = `[${`"${project}" `.repeat(100)}]`;
  const inProjects = (selection: string) =>
    `query { nodes(ids: ${ids}) { ... on Project { ${selection} } } }`;
  const root = (n: number) => Math.max(1, Math.floor(Math.sqrt(n)));
  const pairs = Object.entries(WRAPPERS).flatMap(([outer, wrap]) => [
    ...Object.entries(LEAVES).map(([leaf, leafOf]): [string, Shape] => [
      `${leaf} in ${outer}`,
      (n) => inProjects(wrap(root(n), leafOf(root(n)))),
    ]),
    ...Object.entries(WRAPPERS).map(([inner, wrapInner]): [string, Shape] => [
      `${inner} in ${outer}`,
      (n) => inProjects(wrap(root(n), wrapInner(root(n), 'description'))),
    ]),
  ]);
  const leaves = Object.entries(LEAVES).map(([name, leafOf]): [string, Shape] => [
    name,
    (n) => inProjects(leafOf(n)),
  ]);
  return { ...SHAPES, ...Object.fromEntries([...leaves, ...pairs]) };
}

/** Each document, as large as its tokens admit, as the limits of documents admit, and by halves of this. */
export function* documentCases({ project }: Known, isQuick: boolean): Generator<Case> {
  const caseOf = (name: string, query: string): Case => ({
    name,
    requestOf: (nonce) => ({
      method: 'POST',
      path: '/graphql',
      headers: JSON_BODY,
      body: JSON.stringify({ query: `${query} # ${nonce}` }),
    }),
    // Executed by Apollo Server, compiled, and executed as compiled.
    times: 3,
  });
  for (const [name, shape] of Object.entries(shapes(project))) {
    yield caseOf(`a document of ${name} that is too large`, shape(largestSize(shape, isParsed)));
    for (let size = largestSize(shape); size >= 1; size = Math.floor(size / 2)) {
      yield caseOf(`a document of ${name} (${size})`, shape(size));
    }
  }
  for (const unit of isQuick ? CHARACTERS : [...CHARACTERS, ...PAIRS]) {
    const text = fill(unit, MAX_BODY_BYTES / 2 - 200);
    const places = [
      text,
      `# ${text}`,
      `{ node(id: "${text}") { id } }`,
      `{ node(id: """${text}""") { id } }`,
      `{ a${text} }`,
    ];
    for (const place of places) yield caseOf(`a document with ${place.slice(0, 30)}…`, place);
  }
}
