import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { toApiError } from '../data/call/to-api-error.ts';
import type { DataLayer } from '../data/data-layer.ts';
import type { CountRequest, Limiter } from '../http/limits/rate-limit.ts';
import { requestMemory } from '../http/limits/request-memory.ts';
import { prefersHtml } from '../http/request/accept.ts';
import type { Authenticate } from '../http/request/authorization.ts';
import { idempotencyHeaders } from '../http/request/idempotency-headers.ts';
import { refuseIfMatch } from '../http/request/preconditions.ts';
import { RequestClient } from '../http/request/request-client.ts';
import { requestNotes } from '../http/request/request-notes.ts';
import { routeKind } from '../http/request/route-kind.ts';
import { ApiError } from '../model/errors.ts';
import { isJsonObject, type JsonObject } from '../model/fields/json.ts';
import { GraphqlContext } from './context.ts';
import { apolloRequest } from './over-http/apollo-request.ts';
import { MEDIA_TYPES, responseMediaType } from './over-http/media-type.ts';
import { queryString } from './over-http/query-string.ts';
import { type Execution, respond } from './response.ts';
import type { ResolveDocument } from './rules/trusted-documents.ts';
import { addSchemaDocument, createSchema } from './schema.ts';
import { GraphqlServer, type GraphqlServerSettings } from './server.ts';

export const GRAPHQL_PATH = '/graphql';

export type GraphqlApiOptions = GraphqlServerSettings & {
  readonly data: DataLayer;
  readonly authenticate: Authenticate;
  readonly limitIntrospection: Limiter;
  readonly countRequest: CountRequest;
  readonly federation: boolean;
  /** Sends browsers a page instead of a result; undefined if they get none. */
  readonly sendPage: ((reply: FastifyReply) => FastifyReply) | undefined;
  /** Finds the documents of the manifest; undefined if there is no manifest. */
  readonly resolveDocument: ResolveDocument | undefined;
};

export async function addGraphqlApi(app: FastifyInstance, options: GraphqlApiOptions): Promise<void> {
  const schema = createSchema(options.federation);
  const server = new GraphqlServer(schema, options);
  await server.start();
  app.addHook('onClose', () => server.stop());
  const route = { ...options, server };
  app.route({
    method: ['GET', 'POST'],
    url: GRAPHQL_PATH,
    config: routeKind('api'),
    preHandler: refuseIfMatch,
    handler: (request, reply) => handle(route, request, reply),
  });

  if (options.introspection) addSchemaDocument(app, schema);
}

type Route = GraphqlApiOptions & { readonly server: GraphqlServer };

async function handle(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string | FastifyReply> {
  const { data, authenticate, countRequest, limitIntrospection, sendPage } = route;
  const { accept } = request.headers;
  const isPost = request.method === 'POST';
  if (sendPage && !isPost && prefersHtml(accept, MEDIA_TYPES)) return sendPage(reply);
  const mediaType = responseMediaType(accept);
  const principal = await authenticate(request).catch(toApiError);
  const client = new RequestClient(request);
  const own = principal instanceof ApiError ? principal : data.forRequest(client, principal);
  const context = new GraphqlContext(own, client, {
    readIdempotencyHeaders: () => (isPost ? idempotencyHeaders(request) : undefined),
    countMutations(count) {
      for (let n = 1; n < count; n += 1) countRequest(request, reply, requestNotes(request).owner);
    },
    countIntrospection: () => limitIntrospection(request, reply),
    reserve: (bytes) => requestMemory(request).reserve(bytes),
  });
  return respond(await execute(route, request, mediaType, context), context, mediaType, reply);
}

/** Executes a repeated operation, and all other requests by Apollo Server. */
async function execute(
  { server, resolveDocument }: Route,
  request: FastifyRequest,
  mediaType: string,
  context: GraphqlContext,
): Promise<Execution> {
  const resolve = resolveDocument && ((parameters: JsonObject) => resolveDocument(parameters, context));
  const isPost = request.method === 'POST';
  // Apollo Server rejects a body that is not an object.
  const body = resolve && isPost && isJsonObject(request.body) ? resolve(request.body) : request.body;
  const repeated = isPost ? server.repeated.execute(body, context) : undefined;
  const execution = repeated && (await repeated);
  if (execution !== undefined) return execution;
  const search = queryString(request.url, isPost ? undefined : resolve);
  return server.execute(apolloRequest(request, mediaType, body, search), context);
}
