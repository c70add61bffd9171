import {
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  parse,
  validate,
} from 'graphql';
import { limitDocument, MAX_DOCUMENT_TOKENS } from '../../src/graphql/rules/document-limits.ts';
import { createSchema } from '../../src/graphql/schema.ts';
import { MAX_BODY_BYTES } from '../../src/http/errors/error-responses.ts';
import { SHAPES, type Shape } from './documents.ts';
import {
  bodyCases,
  type Case,
  CHARACTERS,
  fill,
  type HttpRequest,
  JSON_BODY,
  type Known,
  NONCE,
  PAIRS,
} from './hostile-requests.ts';

// Hostile requests of GraphQL, which are made by rules from the schema and the grammar.

const schema = createSchema(true);
const limits = limitDocument(() => true);

// No document of this size has few enough tokens.
const MAX_SIZE = 2000;

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
      yield* bodyCases(request(`${document} # ${NONCE}`), `new ${name}`);
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

/** Returns the size of the largest document of a shape that is admitted. */
function largestSize(shape: Shape, isAdmitted: (source: string) => boolean = isValid): number {
  let admitted = 1;
  let refused = MAX_SIZE;
  while (refused - admitted > 1) {
    const size = Math.floor((admitted + refused) / 2);
    if (isAdmitted(shape(size))) admitted = size;
    else refused = size;
  }
  return admitted;
}

function isValid(source: string): boolean {
  return isParsed(source) && validate(schema, parse(source), [limits]).length === 0;
}

/** Returns whether a document has few enough tokens. */
function isParsed(source: string): boolean {
  try {
    parse(source, { maxTokens: MAX_DOCUMENT_TOKENS });
    return true;
  } catch {
    return false;
  }
}
