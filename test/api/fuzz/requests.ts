import fc from 'fast-check';
import * as random from '../../support/random-operation.ts';

/** A request that may be malformed in any part. */
export type FuzzRequest = {
  readonly method: string;
  /** The target of the request line: a path with a query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
};

/** The values that a valid request needs. */
export type Known = random.Known & { readonly tokens: readonly string[] };

const FIELDS =
  'title active project network password description name privateKey gracePeriod reference archived'.split(
    ' ',
  );

const PATHS =
  '/auth/apps /auth/accounts:signinIdentity /wallet/ /project/projects /graphql /openapi.json /'.split(' ');

const METHODS = 'GET POST PATCH PUT DELETE HEAD OPTIONS PROPFIND'.split(' ');

const MEDIA_TYPES = [
  'application/json',
  'application/json; charset=utf-16',
  'text/plain',
  'multipart/form-data',
];

// Characters that parsers treat specially.
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    '\0',
    '\ud800',
    '\u202e',
    '__proto__',
    'constructor',
    '../..',
    '%',
    '%2F',
    "' OR 1=1--",
  ),
  fc.constantFrom('x'.repeat(2001), '9'.repeat(400), '[]', '{}', 'null', 'NaN', '-0', '1e999'),
);

/** Values of the first kind are `weight` times as frequent as those of the second. */
function mostly<T>(weight: number, frequent: fc.Arbitrary<T>, rare: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight, arbitrary: frequent }, { weight: 1, arbitrary: rare });
}

/** Random requests to the REST paths, most of them nearly valid. */
export function restRequests({ tokens, ...known }: Known): fc.Arbitrary<FuzzRequest> {
  const names = [...known.names, ...known.wallets];
  const value = fc.oneof(texts, fc.constantFrom(...names), fc.boolean(), fc.integer(), fc.jsonValue());
  const input = fc.dictionary(mostly(9, fc.constantFrom(...FIELDS), texts), value, {
    maxKeys: 8,
    noNullPrototype: true,
  });
  const signIn = input.map((privateKey) => ({ privateKey }));
  const json = fc.oneof(input, signIn, fc.jsonValue()).map((each) => JSON.stringify(each));
  const deep = fc.constantFrom('['.repeat(5000), '{"a":'.repeat(5000), '"', '');
  const body = mostly(4, json, fc.oneof(damaged(json), deep));
  const parameters = fc.array(fc.tuple(texts, texts), { maxLength: 3 });
  const path = fc
    .tuple(fc.constantFrom(...PATHS), fc.oneof(fc.constantFrom('', ...names), texts), parameters)
    .map(([start, rest, pairs]) => {
      const query = pairs.map((pair) => pair.map(encode).join('=')).join('&');
      return start + encode(rest) + (query && `?${query}`);
    });
  return fc.record({
    method: fc.constantFrom(...METHODS),
    path: fc.oneof(
      fc.constantFrom(...PATHS),
      fc.constantFrom(...names).map((name) => `/wallet/${name}`),
      path,
    ),
    headers: headers(tokens),
    body: fc.option(body, { nil: undefined }),
  });
}

/** Random GraphQL requests. Most of them are valid, or nearly so. */
export function graphqlRequests({ tokens, ...known }: Known): fc.Arbitrary<FuzzRequest> {
  const anyVariables = fc.dictionary(
    fc.constantFrom(...Object.keys(random.VARIABLES)),
    fc.oneof(fc.jsonValue(), fc.constantFrom(...known.names)),
    { maxKeys: 3, noNullPrototype: true },
  );
  const others = fc.record({ operationName: texts, extensions: fc.jsonValue() }, { requiredKeys: [] });
  const body = fc
    .tuple(fc.nat(), damage(), fc.option(anyVariables, { nil: undefined }), others, fc.nat(3))
    .map(([seed, damaged, variables, other, kind]) => {
      const operation = random.randomOperation(random.randomNumbers(seed), known);
      const query = kind === 0 ? damaged(operation.document) : operation.document;
      const rest = kind === 1 ? other : {};
      return JSON.stringify({ query, variables: { ...operation.variables(), ...variables }, ...rest });
    });
  return fc.record({
    method: fc.constant('POST'),
    path: fc.constant('/graphql'),
    headers: headers(tokens).map((each) => ({ ...each, 'content-type': 'application/json' })),
    body: mostly(15, body, damaged(body)),
  });
}

/** Random bytes in the form of HTTP. */
export function rawRequests({ tokens }: Known): fc.Arbitrary<Buffer> {
  const line = fc.oneof(
    fc.constantFrom(
      ...['GET /project/projects HTTP/1.1', 'POST /auth/apps HTTP/1.1', 'POST /graphql HTTP/1.0'],
      ...['Host: x', 'Host: x y', 'Connection: close', 'Expect: 100-continue', 'Upgrade: websocket'],
      ...['Content-Length: 5', 'Content-Length: -1', 'Content-Length: 5, 6'],
      ...['Transfer-Encoding: chunked', 'Transfer-Encoding: gzip, chunked'],
      ...['', '5', '0', '{"title":"x","active":true}'],
    ),
    fc.constantFrom(...tokens).map((token) => `Authorization: Bearer ${token}`),
    fc.string({ unit: 'binary', maxLength: 60 }),
  );
  const lines = fc.array(line, { minLength: 1, maxLength: 15 });
  const requests = fc
    .tuple(lines, fc.constantFrom('\r\n', '\n'))
    .map(([each, end]) => Buffer.from(each.join(end) + end + end));
  return mostly(
    4,
    requests,
    fc.uint8Array({ maxLength: 500 }).map((bytes) => Buffer.from(bytes)),
  );
}

function headers(tokens: readonly string[]): fc.Arbitrary<Readonly<Record<string, string>>> {
  const printable = fc.string({ unit: 'grapheme-ascii', maxLength: 30 });
  return fc.record(
    {
      authorization: mostly(9, fc.constantFrom(...tokens.map((token) => `Bearer ${token}`)), printable),
      'content-type': mostly(4, fc.constant('application/json'), fc.constantFrom(...MEDIA_TYPES)),
      accept: fc.constantFrom(
        '*/*',
        'application/json',
        'application/graphql-response+json',
        'text/html;q=0',
      ),
      'x-request-id': printable,
      origin: fc.constantFrom('null', 'https://studio.apollographql.com', 'x'),
    },
    { requiredKeys: ['authorization', 'content-type'] },
  );
}

/** Functions that replace a part of a text by another text. */
function damage(): fc.Arbitrary<(whole: string) => string> {
  return fc.tuple(fc.nat(), fc.nat(5), texts).map(([place, length, other]) => (whole) => {
    const start = place % (whole.length + 1);
    return whole.slice(0, start) + other + whole.slice(start + length);
  });
}

function damaged(text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.tuple(text, damage()).map(([whole, change]) => change(whole));
}

/** Percent-encodes what a request line can't contain. A lone surrogate becomes U+FFFD. */
function encode(text: string): string {
  return encodeURI(text.toWellFormed()).replaceAll('#', '%23');
}
