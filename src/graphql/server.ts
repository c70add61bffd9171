import { AsyncLocalStorage } from 'node:async_hooks';
import {
  ApolloServer,
  type ApolloServerOptions,
  type ApolloServerPlugin,
  HeaderMap,
  type HTTPGraphQLRequest,
} from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { ApolloServerPluginLandingPageLocalDefault } from '@apollo/server/plugin/landingPage/default';
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import {
  type DocumentNode,
  type FormattedExecutionResult,
  type GraphQLSchema,
  NoSchemaIntrospectionCustomRule,
  OperationTypeNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { LogError } from '../http/observation/error-log.ts';
import type { Failure } from '../http/observation/request-record.ts';
import { ApiError } from '../model/api-error.ts';
import { authentication } from './authentication.ts';
import type { Context, RequestState } from './context.ts';
import { causeOf, formatGraphqlError, graphqlErrorResult } from './errors.ts';
import { recordRejectedDocument } from './http-status.ts';
import { idempotency } from './idempotency.ts';
import { recordValuePositions } from './input-violations.ts';
import { limitDocument, MAX_DOCUMENT_TOKENS } from './limits.ts';
import { recordOperation } from './operation-name.ts';
import { resultJson } from './response-size.ts';
import { checkVariables } from './variables.ts';

// The memory of a parsed document per character of its text. Measured with Node 26.
const BYTES_PER_CHARACTER = 100;

const MAX_DOCUMENT_CACHE_BYTES = 10_000_000;

const MAX_SEEN_DOCUMENTS = 10_000;

const MAX_PERSISTED_QUERY_BYTES = 4_000_000;

/** The parts of an HTTP request that Apollo Server reads. `search` is the query string with `?`, or empty. */
export type GraphqlHttpRequest = Pick<FastifyRequest, 'id' | 'method' | 'headers' | 'body'> & {
  readonly search: string;
};

/** The response of Apollo Server. */
export type GraphqlHttpResponse = Awaited<ReturnType<ApolloServer['executeHTTPGraphQLRequest']>>;

/** Apollo Server behind the Fastify route. */
export type GraphqlServer = {
  /** Executes a GraphQL request over HTTP. */
  execute(request: GraphqlHttpRequest, context: Context): Promise<GraphqlHttpResponse>;
  stop(): Promise<void>;
};

/**
 * Starts Apollo Server on a schema.
 *
 * @param sandbox whether browsers get Apollo Sandbox
 * @param introspection whether clients can read the schema by introspection
 * @param logger receives the messages of Apollo Server
 * @param logError receives internal errors and outages
 * @param plugins further plugins, which run after those defined here
 */
export async function startGraphqlServer(
  schema: GraphQLSchema,
  { sandbox, introspection }: { readonly sandbox: boolean; readonly introspection: boolean },
  logger: FastifyBaseLogger,
  logError: LogError,
  plugins: readonly ApolloServerPlugin<Context>[],
): Promise<GraphqlServer> {
  // The formatting functions of Apollo Server have no access to the request.
  const requests = new AsyncLocalStorage<{ readonly id: string; readonly state: RequestState }>();
  const requestId = () => requests.getStore()?.id ?? '';
  const recordFailure = (failure: Failure) => {
    const state = requests.getStore()?.state;
    if (state !== undefined) state.failure ??= failure;
  };
  const server = new ApolloServer<Context>({
    schema,
    // The rule below has a message of its own.
    introspection: true,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    logger,
    parseOptions: { maxTokens: MAX_DOCUMENT_TOKENS },
    documentStore: documentCache(),
    persistedQueries: { cache: persistedQueryCache() },
    validationRules: [
      limitDocument,
      recordValuePositions,
      ...(introspection ? [] : [NoSchemaIntrospectionCustomRule]),
    ],
    // A page of another origin can't send these headers without a preflight request.
    csrfPrevention: {
      requestHeaders: ['authorization', 'apollo-require-preflight', 'x-apollo-operation-name'],
    },
    stringifyResult(result: FormattedExecutionResult) {
      const json = resultJson(result);
      if (typeof json === 'string') return json;
      const state = requests.getStore()?.state;
      // The errors of the result are not sent.
      if (state !== undefined) state.failure = json;
      return graphqlErrorResult(json, requestId());
    },
    formatError(formatted, thrown) {
      const state = requests.getStore()?.state;
      // A field of the result of a mutation. The changes of an attempt are undone.
      const hasChanged =
        state?.operation?.type === OperationTypeNode.MUTATION &&
        state.attempt === undefined &&
        (formatted.path?.length ?? 0) > 1;
      const error = formatGraphqlError(formatted, thrown, hasChanged, requestId(), (logged) =>
        logError(logged, requestId()),
      );
      const cause = causeOf(thrown);
      recordFailure({
        reason: String(error.extensions?.['reason']),
        app: cause instanceof ApiError ? cause.app : undefined,
      });
      return error;
    },
    plugins: [
      recordOperation,
      authentication,
      checkVariables(schema),
      recordRejectedDocument,
      idempotency(requestId, (error) => logError(error, requestId())),
      ...plugins,
      sandbox
        ? ApolloServerPluginLandingPageLocalDefault({ embed: { runTelemetry: false } })
        : ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginSchemaReportingDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
    ],
  });
  await server.start();
  return {
    execute: (request, context) =>
      requests.run({ id: request.id, state: context.state }, () =>
        server.executeHTTPGraphQLRequest({
          httpGraphQLRequest: toApolloRequest(request),
          context: async () => context,
        }),
      ),
    stop: () => server.stop(),
  };
}

/**
 * Returns a cache for parsed and validated documents. A document is cached at its second request:
 * caching documents that are requested only once would increase the cost of garbage collection.
 */
function documentCache(): NonNullable<ApolloServerOptions<Context>['documentStore']> {
  const documents = new LRUCache<string, DocumentNode>({ maxSize: MAX_DOCUMENT_CACHE_BYTES });
  const seen = new LRUCache<string, true>({ max: MAX_SEEN_DOCUMENTS });
  return {
    get: async (key) => documents.get(key),
    async set(key, document) {
      const size = BYTES_PER_CHARACTER * (document.loc?.end ?? 1);
      if (seen.has(key)) documents.set(key, document, { size });
      else seen.set(key, true);
    },
    delete: async (key) => documents.delete(key),
  };
}

/** Returns the cache for automatic persisted queries. */
function persistedQueryCache() {
  const queries = new LRUCache<string, string>({ maxSize: MAX_PERSISTED_QUERY_BYTES });
  return {
    get: async (key: string) => queries.get(key),
    async set(key: string, query: string) {
      queries.set(key, query, { size: 2 * (key.length + query.length) });
    },
    delete: async (key: string) => queries.delete(key),
  };
}

function toApolloRequest(request: GraphqlHttpRequest): HTTPGraphQLRequest {
  const headers = new HeaderMap();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  // An empty header means a missing one, but Apollo Server would treat no media type as acceptable.
  if (headers.get('accept') === '') headers.delete('accept');
  return {
    // HEAD is executed like GET. Node omits the body of the response.
    method: request.method === 'HEAD' ? 'GET' : request.method,
    headers,
    body: request.body,
    search: request.search,
  };
}
