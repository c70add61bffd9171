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
import type { DocumentNode, FormattedExecutionResult, GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import { ApiError } from '../model/api-error.ts';
import { authentication } from './authentication.ts';
import type { Context } from './context.ts';
import { formatGraphqlError, graphqlErrorResult } from './errors.ts';
import { noteRefusedDocument } from './http-status.ts';
import { noteValues } from './input-violations.ts';
import { limits, MAX_DOCUMENT_TOKENS } from './limits.ts';
import { resultJson } from './response-size.ts';
import { checkVariables } from './variables.ts';

// What a document takes for each of its characters once it is parsed, measured with Node 26.
const BYTES_PER_CHARACTER = 100;

const MAX_DOCUMENT_CACHE_BYTES = 10_000_000;

const MAX_SEEN_DOCUMENTS = 10_000;

const MAX_PERSISTED_QUERY_BYTES = 4_000_000;

/** Answers a GraphQL request over HTTP, as Apollo Server's own method does. */
export type GraphqlServer = {
  execute(request: FastifyRequest, context: Context): ReturnType<ApolloServer['executeHTTPGraphQLRequest']>;
  stop(): Promise<void>;
};

/**
 * Starts Apollo Server on a schema.
 *
 * @param sandbox whether a browser that opens its path gets Apollo Sandbox
 * @param plugins are added to those that every operation goes through
 */
export async function startGraphqlServer(
  schema: GraphQLSchema,
  sandbox: boolean,
  logger: FastifyBaseLogger,
  plugins: readonly ApolloServerPlugin<Context>[],
): Promise<GraphqlServer> {
  // Apollo Server formats some errors where it no longer has the request that they belong to.
  const requestIds = new AsyncLocalStorage<string>();
  const requestId = () => requestIds.getStore() ?? '';
  const server = new ApolloServer<Context>({
    schema,
    introspection: true,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    logger,
    parseOptions: { maxTokens: MAX_DOCUMENT_TOKENS },
    documentStore: documentStore(),
    persistedQueries: { cache: persistedQueries() },
    validationRules: [...limits, noteValues],
    // A page of another site can't send these headers without a pre-flight request.
    csrfPrevention: {
      requestHeaders: ['authorization', 'apollo-require-preflight', 'x-apollo-operation-name'],
    },
    stringifyResult(result: FormattedExecutionResult) {
      const json = resultJson(result);
      return json instanceof ApiError ? graphqlErrorResult(json, requestId()) : json;
    },
    formatError: (formatted, thrown) =>
      formatGraphqlError(formatted, thrown, requestId(), (error) =>
        logger.error({ reqId: requestId(), err: error }),
      ),
    plugins: [
      authentication,
      checkVariables(schema),
      noteRefusedDocument,
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
      requestIds.run(request.id, () =>
        server.executeHTTPGraphQLRequest({
          httpGraphQLRequest: toApollo(request),
          context: async () => context,
        }),
      ),
    stop: () => server.stop(),
  };
}

/**
 * Keeps documents that were parsed and validated, from the second time on: those that come once
 * would only make the garbage collector's work harder.
 */
function documentStore(): NonNullable<ApolloServerOptions<Context>['documentStore']> {
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

/** Keeps the queries that clients have registered to be asked for by their hash. */
function persistedQueries() {
  const queries = new LRUCache<string, string>({ maxSize: MAX_PERSISTED_QUERY_BYTES });
  return {
    get: async (key: string) => queries.get(key),
    async set(key: string, query: string) {
      queries.set(key, query, { size: 2 * (key.length + query.length) });
    },
    delete: async (key: string) => queries.delete(key),
  };
}

function toApollo(request: FastifyRequest): HTTPGraphQLRequest {
  const headers = new HeaderMap();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  // An empty one means the same as none, but Apollo Server takes nothing to be acceptable then.
  if (headers.get('accept') === '') headers.delete('accept');
  const question = request.url.indexOf('?');
  return {
    // HEAD answers as GET does, without the body.
    method: request.method === 'HEAD' ? 'GET' : request.method,
    headers,
    body: request.body,
    search: question === -1 ? '' : request.url.slice(question),
  };
}
