import type { ApolloServerPlugin } from '@apollo/server';
import { type DocumentNode, type GraphQLSchema, Kind, OperationTypeNode } from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import { ByteCache, countBytes } from '../../model/byte-cache.ts';
import { isJsonObject } from '../../model/fields/json.ts';
import type { GraphqlContext } from '../context.ts';
import { type Execution, graphqlOperation } from '../response.ts';
import { amountFor, type DocumentCost } from '../rules/document-cost.ts';
import { hasTooManyItems, MAX_RESPONSE_FIELDS, type ResponseCost } from '../rules/document-limits.ts';
import { isIntrospection } from '../rules/documents-without-token.ts';
import type { LargeResponses } from '../rules/large-responses.ts';
import { expandedSelections, fragmentsOf } from '../rules/merged-fields.ts';
import type { RequestChecks } from '../rules/request-checks.ts';
import type { ParsedDocument, RepeatedMutations } from './repeated-mutations.ts';

/** The parts of a GraphQL request that a repeated operation needs. */
type GraphqlRequest = {
  readonly query: string;
  readonly operationName?: string | null;
  readonly variables?: Readonly<Record<string, unknown>> | null;
};

type RepeatedOperation = {
  /** Resolves to undefined if Apollo Server has to process the request: nothing was changed. */
  execute(context: GraphqlContext, request: GraphqlRequest): Promise<Execution | undefined>;
  /** Its memory, in bytes. */
  readonly bytes: number;
  readonly cost: ResponseCost;
};

// More than 1,000 different queries of 14 fields.
const MAX_CACHE_BYTES = 40_000_000;

// More than 6,000 queries.
const MAX_SEEN_BYTES = 2_000_000;

// In response fields. It takes about 0.2 ms of processor time.
const MAX_SMALL_RESPONSE = 500;

const BYTES_PER_CHARACTER = 100;

// The memory of a query and of each selection, parsed, compiled and counted, without its text. Measured with Node 26.
const BYTES_PER_QUERY = 6000;
const BYTES_PER_SELECTION = 2300;

// graphql-jit inlines each spread of a fragment, so a short document can result in long code. Compiling 900 took up to 53 ms.
const MAX_SELECTIONS = 200;

// graphql-jit writes response names as keys of object literals, where `__proto__` sets the prototype.
// `__schema` and `__type` are left to graphql-js, which has its own resolvers for them.
const NOT_COMPILED = /__(proto__|schema|type\b)/;

/**
 * A cache of operations that are executed without Apollo Server, from their third execution on: compiled queries, and parsed
 * mutations. An operation is added when Apollo Server executes it for the second time, after parsing and validation. The
 * token, the variables and the media type are checked for each request.
 */
export class RepeatedDocuments {
  readonly #schema: GraphQLSchema;
  readonly #checks: RequestChecks;
  readonly #operations = new ByteCache<RepeatedOperation>(MAX_CACHE_BYTES, ({ bytes }) => bytes);
  /** The operations that were executed once, and those that can't be compiled. */
  readonly #seen = new ByteCache<'once' | 'not compilable'>(MAX_SEEN_BYTES);
  readonly #largeResponses: LargeResponses;
  readonly #mutations: RepeatedMutations;

  constructor(
    schema: GraphQLSchema,
    checks: RequestChecks,
    largeResponses: LargeResponses,
    mutations: RepeatedMutations,
  ) {
    this.#schema = schema;
    this.#checks = checks;
    this.#largeResponses = largeResponses;
    this.#mutations = mutations;
  }

  /**
   * Executes the operation of a request. One with a large response waits for its turn among the requests of its account.
   * Returns undefined, immediately or later, if Apollo Server must process it.
   */
  execute(body: unknown, context: GraphqlContext): Promise<Execution | undefined> | undefined {
    const request = context.isAuthenticated ? graphqlRequest(body) : undefined;
    const operation = request && this.#operations.get(cacheKey(request));
    if (request === undefined || operation === undefined) return undefined;
    const { cost } = operation;
    const variables = request.variables ?? {};
    const amount = amountFor(cost.responseFields, variables);
    if (amount > MAX_RESPONSE_FIELDS || hasTooManyItems(cost, variables)) return undefined;
    if (amount <= MAX_SMALL_RESPONSE) return operation.execute(context, request);
    return this.#largeResponses.run(context, amount, () => operation.execute(context, request));
  }

  /** Returns the plugin of Apollo Server that adds an operation at its second execution. */
  plugin(): ApolloServerPlugin<GraphqlContext> {
    return {
      requestDidStart: async () => ({
        executionDidStart: async ({ request, source, document, operation, contextValue }) => {
          // Without a token, a client could fill the caches.
          if (!contextValue.isAuthenticated) return;
          if (operation?.operation === OperationTypeNode.QUERY) await this.#largeResponses.wait(contextValue);
          const key = cacheKey({ query: source, operationName: request.operationName ?? null });
          const seen = this.#seen.get(key);
          if (seen === undefined) this.#seen.set(key, 'once');
          contextValue.state.isRepeated = seen !== undefined;
          if (seen !== 'once' || operation === undefined || this.#operations.get(key) !== undefined) return;
          const parsed = { source, document, operation };
          const cost = this.#checks.costOf(document, operation);
          const isMutation = operation.operation === OperationTypeNode.MUTATION;
          const repeated = isMutation ? this.#mutation(parsed, cost) : compile(this.#schema, parsed, cost);
          if (repeated === undefined) this.#seen.set(key, 'not compilable');
          else this.#operations.set(key, repeated);
        },
      }),
    };
  }

  #mutation(mutation: ParsedDocument, cost: DocumentCost): RepeatedOperation {
    return {
      execute: (context, request) => this.#mutations.execute(mutation, request, context),
      bytes: BYTES_PER_QUERY + countDocumentBytes(mutation.document),
      cost,
    };
  }
}

/** Returns the memory of a parsed document. Measured with Node 26, per character of its text. */
export function countDocumentBytes({ loc }: DocumentNode): number {
  return BYTES_PER_CHARACTER * (loc?.end ?? 1);
}

/** Returns the GraphQL request in a JSON body, or undefined if only Apollo Server can execute it. */
function graphqlRequest(body: unknown): GraphqlRequest | undefined {
  if (!isJsonObject(body)) return undefined;
  const { query, operationName, variables, extensions } = body;
  const isSupported =
    typeof query === 'string' &&
    (operationName == null || typeof operationName === 'string') &&
    (variables == null || isJsonObject(variables)) &&
    (extensions == null || (isJsonObject(extensions) && !Object.hasOwn(extensions, 'persistedQuery')));
  return isSupported ? (body as GraphqlRequest) : undefined;
}

/** Compiles a query. Returns undefined if graphql-jit can't. */
function compile(
  schema: GraphQLSchema,
  { source: query, document, operation }: ParsedDocument,
  { pairs, responseFields, maxItems }: DocumentCost,
): RepeatedOperation | undefined {
  if (NOT_COMPILED.test(query) || isIntrospection(document)) return undefined;
  const fragments = fragmentsOf(document);
  const selections = expandedSelections(operation.selectionSet, fragments);
  if (selections > MAX_SELECTIONS) return undefined;
  // Three cases where graphql-jit differs from graphql-js: a condition (`@skip`, `@include`) that is null, a field that is
  // selected twice, once with a condition, and a condition in a document with fragments.
  const isNullable = operation.variableDefinitions?.some(
    ({ type }) => type.kind === Kind.NAMED_TYPE && type.name.value === 'Boolean',
  );
  if (query.includes('@') && (pairs > 0 || isNullable || fragments.size > 0)) return undefined;
  const compiled = compileQuery(schema, document, operation.name?.value, {
    // The resolvers return values of the correct scalar types.
    disableLeafSerialization: true,
    // Errors of compiled queries are not used: Apollo Server executes the query again.
    disablingCapturingStackErrors: true,
  });
  if (!isCompiledQuery(compiled)) return undefined;
  const described = graphqlOperation(operation, true);
  return {
    async execute(context, { variables }) {
      const result = await compiled.query(undefined, context, variables);
      // Apollo Server formats an error when it executes the query again.
      const isFinal = result.errors === undefined || context.state.rejection !== undefined;
      return isFinal ? { operation: described, result } : undefined;
    },
    bytes: BYTES_PER_QUERY + selections * BYTES_PER_SELECTION + countBytes(query),
    cost: { responseFields, maxItems },
  };
}

/** Returns the cache key of a query. The length prefix separates the operation name from the query without ambiguity. */
function cacheKey({ query, operationName }: GraphqlRequest): string {
  return operationName == null ? query : `${operationName.length}:${operationName}${query}`;
}
