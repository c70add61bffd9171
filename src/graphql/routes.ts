import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { DataLayer } from '../data/data-layer.ts';
import type { Authenticate } from '../http/authorization.ts';
import { RequestClient } from '../http/client.ts';
import type { LogError } from '../http/error-log.ts';
import { idempotencyHeaders } from '../http/idempotency.ts';
import { ApiError } from '../model/api-error.ts';
import { CompiledQueries, graphqlRequest } from './compiled-queries.ts';
import { Context } from './context.ts';
import { graphqlErrorResult } from './errors.ts';
import { responseStatus } from './http-status.ts';
import { prefersHtml, responseMediaType } from './media-type.ts';
import { resultJson } from './response-size.ts';
import { createSchema, schemaDocument } from './schema.ts';
import { startGraphqlServer } from './server.ts';

/** The path of the GraphQL API. */
export const GRAPHQL_PATH = '/graphql';

/** The path of the schema document. Like introspection, it needs no token. */
export const SCHEMA_PATH = '/schema.graphql';

/**
 * Adds the routes of the GraphQL API. The route executes compiled queries itself. Apollo Server
 * executes all other requests.
 *
 * @param sandbox whether browsers get Apollo Sandbox at the path
 */
export async function addGraphqlApi(
  app: FastifyInstance,
  data: DataLayer,
  authenticate: Authenticate,
  logger: FastifyBaseLogger,
  logError: LogError,
  sandbox: boolean,
): Promise<void> {
  const schema = createSchema();
  const compiledQueries = new CompiledQueries(schema);
  const server = await startGraphqlServer(schema, sandbox, logger, logError, [compiledQueries.plugin()]);
  app.addHook('onClose', () => server.stop());

  /** Executes a compiled query. Returns the JSON of the response, or undefined if Apollo Server has to execute the request. */
  async function runCompiled(
    body: unknown,
    context: Context,
    requestId: string,
  ): Promise<string | undefined> {
    const request = graphqlRequest(body);
    const compiled = request && compiledQueries.find(request);
    if (compiled === undefined) return undefined;
    try {
      await context.authenticate();
    } catch {
      return undefined;
    }
    const result = await compiled.execute(context, request?.variables);
    if (result.errors !== undefined) return undefined;
    const json = resultJson(result, compiled.maxBytes);
    return json instanceof ApiError ? graphqlErrorResult(json, requestId) : json;
  }

  app.route({
    method: ['GET', 'POST'],
    url: GRAPHQL_PATH,
    async handler(request, reply) {
      const { accept } = request.headers;
      const isPost = request.method === 'POST';
      const isPage = sandbox && !isPost && prefersHtml(accept);
      const mediaType = isPage ? '' : responseMediaType(accept);
      const context = new Context(
        data,
        new RequestClient(request, reply),
        () => authenticate(request),
        isPost ? idempotencyHeaders(request) : undefined,
      );
      if (isPost) {
        const json = await runCompiled(request.body, context, request.id);
        if (json !== undefined) return reply.type(`${mediaType}; charset=utf-8`).send(json);
      }
      const response = await server.execute(request, context).finally(() => context.endAttempt());
      if (response.body.kind !== 'complete') throw new Error('Incremental delivery is not supported.');
      for (const [name, value] of response.headers) reply.header(name, value);
      reply.code(responseStatus(response, context));
      return response.body.string;
    },
  });

  const document = schemaDocument(schema);
  app.get(SCHEMA_PATH, async (_request, reply) => {
    // GraphQL schemas have no registered media type. Browsers display this one.
    reply
      .type('text/plain; charset=utf-8')
      .header('cache-control', 'public, max-age=300')
      .header('access-control-allow-origin', '*');
    return document;
  });
}
