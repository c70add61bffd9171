import fc from 'fast-check';

/** A request that may be malformed in any part. */
export type FuzzRequest = {
  readonly method: string;
  /** The target of the request line: a path with a query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
};

/** The values that a valid request needs. */
export type Known = {
  readonly tokens: readonly string[];
  readonly names: readonly string[];
};

const FIELDS = 'title active project network password description name privateKey gracePeriod'.split(' ');

const PATHS = [
  ...['/auth/apps', '/auth/accounts:signinIdentity', '/wallet/', '/project/projects'],
  ...['/graphql', '/openapi.json', '/openapi.yaml', '/'],
];

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

/** Random requests to the REST paths, most of them nearly valid. */
export function restRequests({ tokens, names }: Known): fc.Arbitrary<FuzzRequest> {
  const value = fc.oneof(texts, fc.constantFrom(...names), fc.boolean(), fc.integer(), fc.jsonValue());
  const input = fc.dictionary(
    fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...FIELDS) }, { weight: 1, arbitrary: texts }),
    value,
    { maxKeys: 8, noNullPrototype: true },
  );
  const json = fc
    .oneof(
      input,
      input.map((privateKey) => ({ privateKey })),
      fc.jsonValue(),
    )
    .map((each) => JSON.stringify(each));
  const body = fc.oneof(
    { weight: 8, arbitrary: json },
    { weight: 1, arbitrary: damaged(json) },
    { weight: 1, arbitrary: fc.constantFrom('['.repeat(5000), '{"a":'.repeat(5000), '"', '') },
  );
  const path = fc
    .tuple(
      fc.constantFrom(...PATHS),
      fc.oneof(fc.constantFrom('', ...names), texts),
      fc.array(fc.tuple(texts, texts), { maxLength: 3 }),
    )
    .map(
      ([start, rest, query]) =>
        start +
        encode(rest) +
        (query.length ? `?${query.map((pair) => pair.map(encode).join('=')).join('&')}` : ''),
    );
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

/** Random GraphQL requests. Most documents follow the grammar, and use the names of the schema. */
export function graphqlRequests({ tokens, names }: Known): fc.Arbitrary<FuzzRequest> {
  const variables = fc.dictionary(
    fc.constantFrom('a', 'b', 'input'),
    fc.oneof(fc.jsonValue(), fc.constantFrom(...names)),
    { maxKeys: 3, noNullPrototype: true },
  );
  const document = fc.oneof(
    { weight: 9, arbitrary: documents(names) },
    { weight: 2, arbitrary: damaged(documents(names)) },
  );
  const body = fc
    .record(
      {
        query: fc.oneof({ weight: 9, arbitrary: document }, { weight: 1, arbitrary: fc.jsonValue() }),
        variables,
        operationName: texts,
        extensions: fc.jsonValue(),
      },
      { requiredKeys: ['query'] },
    )
    .map((each) => JSON.stringify(each));
  return fc.record({
    method: fc.constant('POST'),
    path: fc.constant('/graphql'),
    headers: headers(tokens).map((each) => ({ ...each, 'content-type': 'application/json' })),
    body: fc.oneof({ weight: 15, arbitrary: body }, { weight: 1, arbitrary: damaged(body) }),
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
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .tuple(lines, fc.constantFrom('\r\n', '\n'))
        .map(([each, end]) => Buffer.from(each.join(end) + end + end)),
    },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 500 }).map((bytes) => Buffer.from(bytes)) },
  );
}

function headers(tokens: readonly string[]): fc.Arbitrary<Readonly<Record<string, string>>> {
  const printable = fc.string({ unit: 'grapheme-ascii', maxLength: 30 });
  return fc.record(
    {
      authorization: fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom(...tokens).map((token) => `Bearer ${token}`) },
        { weight: 1, arbitrary: printable },
      ),
      'content-type': fc.oneof(
        { weight: 8, arbitrary: fc.constant('application/json') },
        { weight: 2, arbitrary: fc.constantFrom(...MEDIA_TYPES) },
      ),
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

const ROOT_FIELDS =
  'projects node nodes viewer createApp updateApp rotateAppKey signIn updateWallet __schema __type __typename'.split(
    ' ',
  );

const OTHER_FIELDS =
  'id name title edges node cursor nodes pageInfo totalCount hasNextPage app wallet wallets apps project accessToken level expireTime __typename x'.split(
    ' ',
  );

const ARGUMENTS = 'first after last before id ids input name x'.split(' ');

const TYPES = 'Project App Wallet Node Query X'.split(' ');

/** Documents of the GraphQL grammar. Source: GraphQL, October 2021, appendix B. */
function documents(names: readonly string[]): fc.Arbitrary<string> {
  const { document } = fc.letrec<
    Record<'value' | 'selections' | 'rootSelections' | 'selection' | 'document', string>
  >((tie) => {
    const literal = fc.oneof(
      fc.integer().map(String),
      fc.double().map(String),
      texts.map((text) => JSON.stringify(text)),
      fc.constantFrom(...names.map((name) => JSON.stringify(name))),
      fc.constantFrom('true', 'null', 'NETWORK_POLYGON', '$a', '$b', '$input', '"""block"""', '[]', '{}'),
    );
    const value = fc.oneof(
      { maxDepth: 3 },
      { weight: 4, arbitrary: literal },
      { weight: 1, arbitrary: fc.array(tie('value'), { maxLength: 4 }).map((each) => `[${each.join(' ')}]`) },
      {
        weight: 2,
        arbitrary: fc
          .array(fc.tuple(fc.constantFrom(...FIELDS), tie('value')), { maxLength: 5 })
          .map((each) => `{${each.map((pair) => pair.join(': ')).join(', ')}}`),
      },
    );
    const args = fc
      .array(fc.tuple(fc.constantFrom(...ARGUMENTS), tie('value')), { maxLength: 2 })
      .map((each) => (each.length ? `(${each.map((pair) => pair.join(': ')).join(' ')})` : ''));
    const directives = [' @skip(if: $a)', ' @include(if: true)', ' @defer', ' @x(y: 1)'];
    const directive = fc.constantFrom('', '', '', '', ...directives);
    const alias = fc.constantFrom('', '', '', 'a: ', 'b: ', '__x: ');
    const field = (fields: readonly string[]) =>
      fc
        .tuple(alias, fc.constantFrom(...fields), args, directive, fc.option(tie('selections'), { nil: '' }))
        .map((parts) => parts.join(''));
    const fragment = fc.oneof(
      fc.constantFrom('...F', '...G', '...Missing'),
      fc
        .tuple(fc.constantFrom(...TYPES), directive, tie('selections'))
        .map(([type, on, rest]) => `... on ${type}${on} ${rest}`),
    );
    const set = (each: fc.Arbitrary<string>) =>
      fc.array(each, { minLength: 1, maxLength: 4 }).map((selections) => `{ ${selections.join(' ')} }`);
    const operation = fc
      .tuple(
        fc.constantFrom('query', 'mutation', 'subscription', 'query Q', 'mutation M', ''),
        fc.constantFrom('', '', '($a: Boolean, $b: [ID!])', '($input: UpdateWalletInput!)', '($a: Int = 5)'),
        tie('rootSelections'),
      )
      .map(([kind, variables, rest]) => (kind ? kind + variables : '') + rest);
    const definition = fc.oneof(
      { weight: 5, arbitrary: operation },
      {
        weight: 2,
        arbitrary: fc
          .tuple(fc.constantFrom('F', 'G'), fc.constantFrom(...TYPES), tie('selections'))
          .map(([name, type, rest]) => `fragment ${name} on ${type} ${rest}`),
      },
    );
    return {
      value,
      selection: fc.oneof(
        { maxDepth: 6 },
        { weight: 6, arbitrary: field(OTHER_FIELDS) },
        { weight: 1, arbitrary: fragment },
      ),
      selections: set(tie('selection')),
      rootSelections: set(
        fc.oneof({ weight: 6, arbitrary: field(ROOT_FIELDS) }, { weight: 1, arbitrary: fragment }),
      ),
      document: fc.array(definition, { minLength: 1, maxLength: 3 }).map((each) => each.join('\n')),
    };
  });
  return document;
}

/** Replaces a part of a text by another text. */
function damaged(text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.tuple(text, fc.nat(), fc.nat(5), texts).map(([whole, place, length, other]) => {
    const start = place % (whole.length + 1);
    return whole.slice(0, start) + other + whole.slice(start + length);
  });
}

/** Percent-encodes what a request line can't contain. A lone surrogate becomes U+FFFD. */
function encode(text: string): string {
  return encodeURI(text.toWellFormed()).replaceAll('#', '%23');
}
