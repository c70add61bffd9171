import { AsyncLocalStorage } from 'node:async_hooks';
import { ApolloServer, HeaderMap, type HTTPGraphQLRequest } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { ApolloServerPluginLandingPageLocalDefault } from '@apollo/server/plugin/landingPage/default';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { DataLayer } from '../data/data-layer.ts';
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

/**
 * Adds the GraphQL face: Apollo Server at `/graphql`, and the schema that it executes.
 *
 * @param sandbox whether a browser that opens the path gets Apollo Sandbox
 */
export async function addGraphqlFace(app: FastifyInstance, data: DataLayer, sandbox: boolean): Promise<void> {
  // Apollo shapes some errors where it no longer knows the request they belong to.
  const currentRequest = new AsyncLocalStorage<FastifyRequest>();
  const schema = createSchema();
  const server = new ApolloServer<Context>({
    schema,
    introspection: true,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    logger: app.log,
    parseOptions: { maxTokens: MAX_DOCUMENT_TOKENS },
    validationRules: [...limits],
    // A page of another site cannot send this header without a pre-flight request.
    csrfPrevention: {
      requestHeaders: ['authorization', 'apollo-require-preflight', 'x-apollo-operation-name'],
    },
    stringifyResult: (result) => JSON.stringify(result),
    formatError(formatted, thrown) {
      const request = currentRequest.getStore();
      return formatGraphqlError(
        formatted,
        thrown,
        request?.id ?? '',
        (error) => variableViolation(schema, error, () => (request ? sentVariables(request) : {})),
        (error) => request?.log.error(error),
      );
    },
    plugins: [
      mediaType,
      authentication,
      noteRefusedDocument,
      sandbox
        ? ApolloServerPluginLandingPageLocalDefault({ embed: { runTelemetry: false } })
        : ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginSchemaReportingDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
    ],
  });
  await server.start();
  app.addHook('onClose', () => server.stop());

  app.route({
    method: ['GET', 'POST'],
    url: GRAPHQL_PATH,
    async handler(request, reply) {
      const context = new Context(data, () => request.authenticate());
      const response = await currentRequest.run(request, () =>
        server.executeHTTPGraphQLRequest({
          httpGraphQLRequest: toApollo(request),
          context: async () => context,
        }),
      );
      if (response.body.kind !== 'complete') throw new Error('No answer of this schema comes in parts.');
      for (const [name, value] of response.headers) reply.header(name, value);
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
