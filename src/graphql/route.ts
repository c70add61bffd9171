import type { HTTPGraphQLResponse } from '@apollo/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { OperationTypeNode } from 'graphql';
import type { DataLayer } from '../data/data-layer.ts';
import { toApiError } from '../data/operation/errors.ts';
import { prefersHtml } from '../http/accept.ts';
import type { Authenticate } from '../http/authorization.ts';
import { RequestClient } from '../http/client.ts';
import { IDEMPOTENCY_HEADER, idempotencyHeaders } from '../http/idempotency-headers.ts';
import type { CountRequest, Limiter } from '../http/limits/rate-limit.ts';
import { memoryOf } from '../http/limits/request-memory.ts';
import { refuseIfMatch } from '../http/preconditions.ts';
import { recordOf, routeKind } from '../http/request-record.ts';
import { ApiError } from '../model/errors.ts';
import { isJsonObject, type JsonObject } from '../model/fields/json.ts';
import {
  CompiledQueries,
  type CompiledQuery,
  type GraphqlRequest,
  graphqlRequest,
} from './compiled/compiled-queries.ts';
import { Context } from './context.ts';
import { graphqlErrorBody } from './error-format.ts';
import { apolloRequest } from './http/apollo-request.ts';
import { MEDIA_TYPES, responseMediaType, responseStatus } from './http/media-type.ts';
import { queryString } from './http/query-string.ts';
import { resultJson } from './limits/response-size.ts';
import type { ResolveDocument } from './limits/trusted-documents.ts';
import { Turns } from './limits/turns.ts';
import { addSchemaDocument, createSchema } from './schema.ts';
import { GraphqlServer, type GraphqlServerSettings } from './server.ts';

const MAX_OPERATION_NAME_LENGTH = 100;

export const GRAPHQL_PATH = '/graphql';

export type GraphqlApiSettings = Pick<GraphqlServerSettings, 'sandbox' | 'introspection'> & {
  readonly federation: boolean;
  /** Finds the documents of the manifest; undefined if there is no manifest. */
  readonly resolveDocument: ResolveDocument | undefined;
};

export type GraphqlApiDependencies = Pick<GraphqlServerSettings, 'logger' | 'logError'> & {
  readonly data: DataLayer;
  readonly authenticate: Authenticate;
  readonly limitIntrospection: Limiter;
  readonly countRequest: CountRequest;
};

export async function addGraphqlApi(
  app: FastifyInstance,
  dependencies: GraphqlApiDependencies,
  settings: GraphqlApiSettings,
): Promise<void> {
  const { logger, logError } = dependencies;
  const { sandbox, introspection, federation } = settings;
  const schema = createSchema(federation);
  const turns = new Turns();
  const compiledQueries = new CompiledQueries(schema, turns);
  const plugins = [compiledQueries.plugin()];
  const server = new GraphqlServer(schema, { sandbox, introspection, logger, logError, plugins, turns });
  await server.start();
  app.addHook('onClose', () => server.stop());
  const route = { ...dependencies, ...settings, server, compiledQueries };
  app.route({
    method: ['GET', 'POST'],
    url: GRAPHQL_PATH,
    config: routeKind('api'),
    preHandler: refuseIfMatch,
    handler: (request, reply) => handle(route, request, reply),
  });

  if (introspection) addSchemaDocument(app, schema);
}

type Route = GraphqlApiDependencies &
  GraphqlApiSettings & { readonly server: GraphqlServer; readonly compiledQueries: CompiledQueries };

async function handle(route: Route, request: FastifyRequest, reply: FastifyReply) {
  const { data, authenticate, countRequest, limitIntrospection, sandbox } = route;
  const { accept } = request.headers;
  const isPost = request.method === 'POST';
  const isPage = sandbox && !isPost && prefersHtml(accept, MEDIA_TYPES);
  const mediaType = isPage ? 'text/html' : responseMediaType(accept);
  const authentication = await authenticate(request).catch(toApiError);
  const context = new Context(data, new RequestClient(request), authentication, {
    readIdempotencyHeaders: () =>
      isPost && request.headers[IDEMPOTENCY_HEADER] !== undefined ? idempotencyHeaders(request) : undefined,
    async countMutations(count) {
      for (let n = 1; n < count; n += 1) await countRequest(request, reply, recordOf(request).owner);
    },
    countIntrospection: () => limitIntrospection(request, reply),
    claim: (bytes) => memoryOf(request).claim(bytes),
  });
  const response = await execute(route, request, mediaType, context);
  const { operation, failure, isTokenEnded, refusal, keyed } = context.state;
  const record = recordOf(request);
  if (operation !== undefined) {
    record.operation = { ...operation, name: operation.name.slice(0, MAX_OPERATION_NAME_LENGTH) };
  }
  if (isTokenEnded) throw new ApiError('TOKEN_INVALID');
  if (refusal !== undefined) {
    // After UNAVAILABLE, clients repeat the request. The changes of one with an Idempotency-Key are undone, or kept.
    const mayHaveChanged = operation?.type === OperationTypeNode.MUTATION && keyed === undefined;
    throw mayHaveChanged ? new ApiError('RESULT_UNKNOWN') : refusal;
  }
  if (failure !== undefined) record.failure = failure;
  const [json, status] =
    typeof response === 'string' ? [response, 200] : [bodyOf(response), response.status ?? 200];
  if (typeof response === 'string') reply.type(`${mediaType}; charset=utf-8`);
  else {
    for (const [name, value] of response.headers) {
      // Apollo Server lets caches keep the response to an unknown persisted query.
      if (name !== 'cache-control') reply.header(name, value);
    }
  }
  reply.code(responseStatus(mediaType, status, json, failure?.reason));
  return json;
}

function bodyOf({ body }: HTTPGraphQLResponse): string {
  if (body.kind !== 'complete') throw new Error('Incremental delivery is not supported.');
  return body.string;
}

/** Returns the JSON of a compiled query, or the response of Apollo Server, which executes all other requests. */
async function execute(
  { server, compiledQueries, resolveDocument }: Route,
  request: FastifyRequest,
  mediaType: string,
  context: Context,
): Promise<string | HTTPGraphQLResponse> {
  const resolve = resolveDocument && ((parameters: JsonObject) => resolveDocument(parameters, context));
  const isPost = request.method === 'POST';
  // Apollo Server rejects a body that is not an object.
  const body = resolve && isPost && isJsonObject(request.body) ? resolve(request.body) : request.body;
  const parsed = isPost ? graphqlRequest(body) : undefined;
  const compiled = parsed && context.isAuthenticated ? compiledQueries.find(parsed) : undefined;
  const json = compiled && (await runCompiled(compiled, parsed?.variables, context));
  if (json !== undefined) return json;
  const search = queryString(request.url, isPost ? undefined : resolve);
  const httpRequest = apolloRequest(request, mediaType, body, search);
  return server.execute(httpRequest, context).finally(() => context.state.keyed?.undo());
}

/** Executes a compiled query. Returns the JSON of the response, or undefined if Apollo Server has to execute the request. */
async function runCompiled(
  compiled: CompiledQuery,
  variables: GraphqlRequest['variables'],
  context: Context,
): Promise<string | undefined> {
  const result = await compiled.execute(context, variables);
  if (result.errors !== undefined && context.state.refusal === undefined) return undefined;
  context.state.operation = compiled.operation;
  const json = resultJson(result, (bytes) => context.claimMemory(bytes));
  if (typeof json === 'string') return json;
  context.state.failure = json;
  return graphqlErrorBody(json, context.client.requestId, null);
}
