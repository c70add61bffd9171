import { AsyncLocalStorage } from 'node:async_hooks';
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
import { AdmittedOperations } from './admitted-operations.ts';
import { answerAdmitted, plainRequest } from './answer-admitted.ts';
import { authentication } from './authentication.ts';
import type { Values } from './compiler/input-values.ts';
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

const MOST_DOCUMENTS = 100;

// Clients send few that differ.
const MOST_CONTENT_TYPES = 100;

/** What errors are shaped by. */
type Asked = {
  readonly id: string;
  /** The variables as the client sent them. */
  readonly variables: () => Values;
};

const NOTHING_ASKED: Asked = { id: '', variables: () => ({}) };

/**
 * Adds the GraphQL face: Apollo Server at `/graphql`, and the schema that it executes.
 *
 * @param sandbox whether a browser that opens the path gets Apollo Sandbox
 */
export async function addGraphqlFace(app: FastifyInstance, data: DataLayer, sandbox: boolean): Promise<void> {
  // Apollo shapes some errors where it no longer knows the request they belong to.
  const current = new AsyncLocalStorage<Asked>();
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
    formatError: (formatted, thrown) => formatError(formatted, thrown, current.getStore()),
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
    { id, variables }: Asked = NOTHING_ASKED,
  ) {
    return formatGraphqlError(
      formatted,
      thrown,
      id,
      (error) => variableViolation(schema, error, variables),
      (error) => app.log.error({ reqId: id, err: error }),
    );
  }
  const shortcut = answerAdmitted(admitted, contentTypes, data, (formatted, error, id) =>
    formatError(formatted, error, { ...NOTHING_ASKED, id }),
  );
  app.shortcuts.set(GRAPHQL_PATH, shortcut);

  await server.start();
  app.addHook('onClose', () => server.stop());

  app.route({
    method: ['GET', 'POST'],
    url: GRAPHQL_PATH,
    async handler(request, reply) {
      const context = new Context(data, () => request.authenticate());
      const asked = { id: request.id, variables: () => sentVariables(request) };
      const response = await current.run(asked, () =>
        server.executeHTTPGraphQLRequest({
          httpGraphQLRequest: toApollo(request),
          context: async () => context,
        }),
      );
      if (response.body.kind !== 'complete') throw new Error('No answer of this schema comes in parts.');
      for (const [name, value] of response.headers) reply.header(name, value);
      const chosen = response.headers.get('content-type');
      const isPlain = request.method === 'POST' && plainRequest(request.body) !== undefined;
      if (isPlain && chosen && response.status === undefined && contentTypes.size < MOST_CONTENT_TYPES) {
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
function sentVariables({ method, body, query }: FastifyRequest): Values {
  const { variables } = (method === 'POST' ? body : query) as { variables?: unknown };
  return ((typeof variables === 'string' ? JSON.parse(variables) : variables) ?? {}) as Values;
}
