import { AsyncLocalStorage } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';
import { ApolloServer, type ApolloServerOptions, HeaderMap, type HTTPGraphQLRequest } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { ApolloServerPluginLandingPageLocalDefault } from '@apollo/server/plugin/landingPage/default';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { DocumentNode, GraphQLFormattedError } from 'graphql';
import type { DataLayer } from '../data/data-layer.ts';
import { LruCache } from '../model/lru-cache.ts';
import { type AdmittedOperation, AdmittedOperations } from './admitted-operations.ts';
import { authentication } from './authentication.ts';
import { Context } from './context.ts';
import { noteRefusedDocument, statusOf } from './document-status.ts';
import { formatGraphqlError } from './errors.ts';
import { limits, MAX_DOCUMENT_TOKENS } from './limits.ts';
import { mediaType } from './media-type.ts';
import { createSchema, schemaDocument } from './schema.ts';
import { variableViolation } from './variables.ts';

/** The path of the GraphQL face. */
export const GRAPHQL_PATH = '/graphql';

/** The path of the schema, for the tools of clients. It needs no token, as introspection needs none. */
export const SCHEMA_PATH = '/schema.graphql';

/** Tells the ids of the requests that a compiled operation has answered. */
const answeredCompiled = channel('paw-gateway:answered-compiled');

const MOST_DOCUMENTS = 100;

// Clients send few that differ.
const MOST_CONTENT_TYPES = 100;

/** What a request of the plainest kind holds. */
type PlainRequest = {
  readonly query: string;
  readonly operationName?: string | null;
  readonly variables?: Readonly<Record<string, unknown>> | null;
};

/**
 * Adds the GraphQL face: Apollo Server at `/graphql`, and the schema that it executes.
 *
 * @param sandbox whether a browser that opens the path gets Apollo Sandbox
 */
export async function addGraphqlFace(app: FastifyInstance, data: DataLayer, sandbox: boolean): Promise<void> {
  // Apollo shapes some errors where it no longer knows the request they belong to.
  const currentRequest = new AsyncLocalStorage<FastifyRequest>();
  const schema = createSchema();
  const admitted = new AdmittedOperations();
  // What Apollo Server has chosen for each Accept header so far.
  const contentTypes = new Map<string | undefined, string>();
  const server = new ApolloServer<Context>({
    schema,
    introspection: true,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    logger: app.log,
    parseOptions: { maxTokens: MAX_DOCUMENT_TOKENS },
    documentStore: documentStore(),
    validationRules: [...limits],
    // A page of another site cannot send this header without a pre-flight request.
    csrfPrevention: {
      requestHeaders: ['authorization', 'apollo-require-preflight', 'x-apollo-operation-name'],
    },
    stringifyResult: (result) => JSON.stringify(result),
    formatError: (formatted, thrown) => formatError(formatted, thrown, currentRequest.getStore()),
    plugins: [
      mediaType,
      authentication,
      noteRefusedDocument,
      admitted.plugin(schema),
      sandbox
        ? ApolloServerPluginLandingPageLocalDefault({ embed: { runTelemetry: false } })
        : ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginSchemaReportingDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
    ],
  });
  function formatError(
    formatted: GraphQLFormattedError,
    thrown: unknown,
    request: FastifyRequest | undefined,
  ) {
    return formatGraphqlError(
      formatted,
      thrown,
      request?.id ?? '',
      (error) => variableViolation(schema, error, () => (request ? sentVariables(request) : {})),
      (error) => request?.log.error(error),
    );
  }

  /**
   * Answers a request for an operation that was admitted before.
   *
   * @returns undefined if it is to be refused before anything is executed, which is
   *   left to Apollo Server and its plugins
   */
  async function answerAdmitted(
    { run, needsToken }: AdmittedOperation,
    context: Context,
    request: FastifyRequest,
    variables: Readonly<Record<string, unknown>>,
  ): Promise<string | undefined> {
    if (needsToken) {
      try {
        await context.authenticate();
      } catch {
        return undefined;
      }
    }
    const outcome = await run(context, variables);
    if (outcome === undefined) return undefined;
    const { data } = outcome;
    if (outcome.errors.length === 0) return JSON.stringify({ data });
    const errors = outcome.errors.map((error) => {
      const formatted = error.toJSON();
      return formatError(
        { ...formatted, extensions: { code: 'INTERNAL_SERVER_ERROR', ...formatted.extensions } },
        error,
        request,
      );
    });
    return JSON.stringify({ errors, data });
  }

  await server.start();
  app.addHook('onClose', () => server.stop());

  app.route({
    method: ['GET', 'POST'],
    url: GRAPHQL_PATH,
    async handler(request, reply) {
      const context = new Context(data, () => request.authenticate());
      const sent = plainRequest(request);
      const operation = sent && admitted.find(sent);
      const contentType = contentTypes.get(request.headers.accept);
      if (operation !== undefined && contentType !== undefined) {
        const answer = await answerAdmitted(operation, context, request, sent?.variables ?? {});
        if (answer !== undefined) {
          answeredCompiled.publish(request.id);
          return reply.type(contentType).send(answer);
        }
      }
      const response = await currentRequest.run(request, () =>
        server.executeHTTPGraphQLRequest({
          httpGraphQLRequest: toApollo(request),
          context: async () => context,
        }),
      );
      if (response.body.kind !== 'complete') throw new Error('No answer of this schema comes in parts.');
      for (const [name, value] of response.headers) reply.header(name, value);
      const chosen = response.headers.get('content-type');
      if (sent && chosen && response.status === undefined && contentTypes.size < MOST_CONTENT_TYPES) {
        contentTypes.set(request.headers.accept, chosen);
      }
      reply.code(statusOf(response, context));
      return response.body.string;
    },
  });

  const document = schemaDocument(schema);
  app.get(SCHEMA_PATH, async (_request, reply) => {
    // No type is registered for a schema. Tools go by the path, and a browser shows this one.
    reply
      .type('text/plain; charset=utf-8')
      .header('cache-control', 'public, max-age=300')
      .header('access-control-allow-origin', '*');
    return document;
  });
}

/** Keeps the documents that come again without being plain requests, such as persisted queries by GET. */
function documentStore(): NonNullable<ApolloServerOptions<Context>['documentStore']> {
  const documents = new LruCache<DocumentNode>(MOST_DOCUMENTS);
  return {
    get: async (key) => documents.get(key),
    set: async (key, document) => documents.set(key, document, 1),
    delete: async (key) => documents.delete(key),
  };
}

/** What a request asks for, if it is of the kind that Apollo Server has nothing to say on but what it asks for. */
function plainRequest({ method, url, body }: FastifyRequest): PlainRequest | undefined {
  if (method !== 'POST' || url !== GRAPHQL_PATH || !isObject(body)) return undefined;
  const { query, operationName, variables, extensions } = body;
  const isPlain =
    typeof query === 'string' &&
    (operationName == null || typeof operationName === 'string') &&
    (variables == null || isObject(variables)) &&
    (extensions == null || (isObject(extensions) && !Object.hasOwn(extensions, 'persistedQuery')));
  return isPlain ? (body as PlainRequest) : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function toApollo(request: FastifyRequest): HTTPGraphQLRequest {
  const headers = new HeaderMap();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  const question = request.url.indexOf('?');
  return {
    // What HEAD answers is what GET would, without the body.
    method: request.method === 'HEAD' ? 'GET' : request.method,
    headers,
    body: request.body,
    search: question === -1 ? '' : request.url.slice(question),
  };
}

/** The variables of a request that Apollo Server has read already, so that they are well-formed. */
function sentVariables({ method, body, query }: FastifyRequest): Readonly<Record<string, unknown>> {
  const { variables } = (method === 'POST' ? body : query) as { variables?: unknown };
  return ((typeof variables === 'string' ? JSON.parse(variables) : variables) ?? {}) as Record<
    string,
    unknown
  >;
}
