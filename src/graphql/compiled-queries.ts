import type { ApolloServerPlugin } from '@apollo/server';
import {
  type DocumentNode,
  type ExecutionResult,
  type GraphQLSchema,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import { LRUCache } from 'lru-cache';
import { isIntrospection } from './authentication.ts';
import { hasPlainConditions } from './conditions.ts';
import type { Context } from './context.ts';
import { MAX_LIST_LENGTH, responseFields } from './response-fields.ts';
import { maxFieldBytes } from './response-size.ts';

/** A GraphQL request, as far as a compiled query needs it. */
export type GraphqlRequest = {
  readonly query: string;
  readonly operationName?: string | null;
  readonly variables?: Readonly<Record<string, unknown>> | null;
};

/** A query that graphql-jit has compiled. */
export type CompiledQuery = {
  /** Executes the query, as `execute` of graphql-js does. */
  execute(
    context: Context,
    variables: GraphqlRequest['variables'],
  ): ExecutionResult | Promise<ExecutionResult>;
  /** How many bytes a response can have at most. */
  readonly maxBytes: number;
};

const MAX_CACHE_BYTES = 32_000_000;

const MAX_SEEN = 10_000;

// What a selected field takes, parsed and compiled, beside the text: measured with Node 26.
const BYTES_PER_FIELD = 2000;

// Fragments are written out where they are spread, so that a short document can make long code.
const MAX_FIELDS = 1000;

// graphql-jit writes names as the keys of object literals, where this one sets the prototype.
// Introspection has resolvers of its own in graphql-js.
const NOT_COMPILED = /__(proto__|schema|type\b)/;

/**
 * Queries that Apollo Server has parsed, validated and executed: one is compiled the second
 * time that it comes. Everything that depends on the request is decided anew each time: the
 * token, the variables, the media type.
 */
export class CompiledQueries {
  readonly #schema: GraphQLSchema;
  readonly #queries = new LRUCache<string, CompiledQuery>({ maxSize: MAX_CACHE_BYTES });
  /** The hashes of the queries that have come: once, as many never come again, or such that are never compiled. */
  readonly #seen = new LRUCache<string, 'once' | 'never compiled'>({ max: MAX_SEEN });

  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
  }

  /** Returns the compiled form of a query, or undefined if Apollo Server has to execute it. */
  find(request: GraphqlRequest): CompiledQuery | undefined {
    return this.#queries.get(keyOf(request));
  }

  /** The plugin that compiles the queries which Apollo Server is about to execute again. */
  plugin(): ApolloServerPlugin<Context> {
    return {
      requestDidStart: async () => ({
        executionDidStart: async ({ request, source: query, queryHash, document, operation }) => {
          const operationName = request.operationName ?? null;
          const seenKey = `${queryHash} ${operationName}`;
          const seen = this.#seen.get(seenKey);
          if (seen === undefined) this.#seen.set(seenKey, 'once');
          const key = keyOf({ query, operationName });
          if (seen !== 'once' || operation === undefined || this.#queries.has(key)) return;
          const fields = responseFields(this.#schema, document, 1, MAX_FIELDS)(operation);
          const isCompilable =
            isPlainQuery(query, document, operation) &&
            fields <= MAX_FIELDS &&
            hasPlainConditions(operation, document);
          const compiled = isCompilable ? compile(this.#schema, document, operation) : undefined;
          if (compiled === undefined) this.#seen.set(seenKey, 'never compiled');
          else this.#queries.set(key, compiled, { size: key.length + fields * BYTES_PER_FIELD });
        },
      }),
    };
  }
}

/** The GraphQL request in a JSON body, or undefined if only Apollo Server can answer it. */
export function graphqlRequest(body: unknown): GraphqlRequest | undefined {
  if (!isObject(body)) return undefined;
  const { query, operationName, variables, extensions } = body;
  const isPlain =
    typeof query === 'string' &&
    (operationName == null || typeof operationName === 'string') &&
    (variables == null || isObject(variables)) &&
    (extensions == null || (isObject(extensions) && !Object.hasOwn(extensions, 'persistedQuery')));
  return isPlain ? (body as GraphqlRequest) : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isPlainQuery(query: string, document: DocumentNode, operation: OperationDefinitionNode): boolean {
  return (
    operation.operation === OperationTypeNode.QUERY &&
    !NOT_COMPILED.test(query) &&
    !isIntrospection(operation.selectionSet, document)
  );
}

/** Compiles a query, or returns undefined if graphql-jit can't. */
function compile(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): CompiledQuery | undefined {
  const compiled = compileQuery(schema, document, operation.name?.value, {
    // The resolvers return strings, numbers and booleans as their types say.
    disableLeafSerialization: true,
    // An error only decides that Apollo Server answers.
    disablingCapturingStackErrors: true,
  });
  if (!isCompiledQuery(compiled)) return undefined;
  const maxBytesOf = responseFields(
    schema,
    document,
    MAX_LIST_LENGTH,
    Number.POSITIVE_INFINITY,
    maxFieldBytes,
  );
  return {
    execute: (context, variables) => compiled.query(undefined, context, variables),
    maxBytes: maxBytesOf(operation),
  };
}

/** With its length in front, no operation name can be taken for a part of a query. */
function keyOf({ query, operationName }: GraphqlRequest): string {
  return operationName == null ? query : `${operationName.length}:${operationName}${query}`;
}
