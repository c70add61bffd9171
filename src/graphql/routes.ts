import { HeaderMap, type HTTPGraphQLResponse } from '@apollo/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { DataLayer } from '../data/data-layer.ts';
import { toApiError } from '../data/to-api-error.ts';
import { prefersHtml } from '../http/accept.ts';
import type { Authenticate } from '../http/authorization.ts';
import { RequestClient } from '../http/client.ts';
import { malformedRequest } from '../http/http-error.ts';
import { idempotencyHeaders } from '../http/idempotency.ts';
import { recordFailure, recordOperation } from '../http/observation/request-record.ts';
import type { Limiter } from '../http/protection/rate-limit.ts';
import {
  CompiledQueries,
  type CompiledQuery,
  type GraphqlRequest,
  graphqlRequest,
} from './compiled-queries.ts';
import { Context } from './context.ts';
import { graphqlErrorBody } from './errors.ts';
import { isJsonObject, type JsonObject, parseJson } from './json-object.ts';
import { MEDIA_TYPES, responseMediaType, responseStatus } from './media-type.ts';
import { resultJson } from './response-size.ts';
import { createSchema, schemaDocument } from './schema.ts';
import { GraphqlServer, type GraphqlServerSettings } from './server.ts';
import type { ResolveDocument } from './trusted-documents.ts';

/** The path of the GraphQL API. */
export const GRAPHQL_PATH = '/graphql';

/** The path of the schema document. Like introspection, it needs no token. */
export const SCHEMA_PATH = '/schema.graphql';

/** The settings of the GraphQL API. */
export type GraphqlApiSettings = Pick<GraphqlServerSettings, 'sandbox' | 'introspection'> & {
  /** Whether the API is a subgraph of a federated graph. */
  readonly federation: boolean;
  /** Finds the documents of the manifest; undefined if there is no manifest. */
  readonly resolveDocument: ResolveDocument | undefined;
};

/** What the GraphQL API uses. */
export type GraphqlApiDependencies = Pick<GraphqlServerSettings, 'logger' | 'logError'> & {
  readonly data: DataLayer;
  readonly authenticate: Authenticate;
  readonly limitIntrospection: Limiter;
};

/** Adds the routes of the GraphQL API. */
export async function addGraphqlApi(
  app: FastifyInstance,
  dependencies: GraphqlApiDependencies,
  settings: GraphqlApiSettings,
): Promise<void> {
  const { logger, logError } = dependencies;
  const { sandbox, introspection, federation } = settings;
  const schema = createSchema(federation);
  const compiledQueries = new CompiledQueries(schema);
  const plugins = [compiledQueries.plugin()];
  const server = new GraphqlServer(schema, { sandbox, introspection, logger, logError, plugins });
  await server.start();
  app.addHook('onClose', () => server.stop());
  const route = { ...dependencies, ...settings, server, compiledQueries };
  app.route({
    method: ['GET', 'POST'],
    url: GRAPHQL_PATH,
    handler: (request, reply) => handle(route, request, reply),
  });

  if (!introspection) return;
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

type Route = GraphqlApiDependencies &
  GraphqlApiSettings & { readonly server: GraphqlServer; readonly compiledQueries: CompiledQueries };

async function handle(route: Route, request: FastifyRequest, reply: FastifyReply) {
  const { data, authenticate, limitIntrospection, sandbox } = route;
  const { accept } = request.headers;
  const isPost = request.method === 'POST';
  const isPage = sandbox && !isPost && prefersHtml(accept, MEDIA_TYPES);
  const mediaType = isPage ? '' : responseMediaType(accept);
  const context = new Context({
    data,
    client: new RequestClient(request, reply),
    authentication: await authenticate(request).catch(toApiError),
    readIdempotencyHeaders: () => (isPost ? idempotencyHeaders(request) : undefined),
    countIntrospection: () => limitIntrospection(request, reply),
  });
  const response = await execute(route, request, context);
  const { operation, failure } = context.state;
  if (operation !== undefined) recordOperation(request, operation);
  if (failure !== undefined) recordFailure(request, failure);
  if (typeof response === 'string') return reply.type(`${mediaType}; charset=utf-8`).send(response);
  if (response.body.kind !== 'complete') throw new Error('Incremental delivery is not supported.');
  for (const [name, value] of response.headers) reply.header(name, value);
  reply.code(responseStatus(response, failure?.reason));
  return response.body.string;
}

/** Executes a compiled query itself, whose result is the body of the response. Apollo Server executes all other requests. */
async function execute(
  { server, compiledQueries, resolveDocument }: Route,
  request: FastifyRequest,
  context: Context,
): Promise<string | HTTPGraphQLResponse> {
  const resolve = (parameters: JsonObject) => resolveDocument?.(parameters, request.id) ?? parameters;
  const isPost = request.method === 'POST';
  // Apollo Server rejects a body that is not an object.
  const body = isPost && isJsonObject(request.body) ? resolve(request.body) : request.body;
  const parsed = isPost ? graphqlRequest(body) : undefined;
  const compiled = parsed && context.isAuthenticated ? compiledQueries.find(parsed) : undefined;
  const json = compiled && (await runCompiled(compiled, parsed?.variables, context));
  if (json !== undefined) return json;
  const search = new URL(request.url, 'http://localhost').search;
  const httpRequest = {
    // HEAD is executed like GET. Node omits the body of the response.
    method: request.method === 'HEAD' ? 'GET' : request.method,
    headers: apolloHeaders(request),
    body,
    search: isPost || resolveDocument === undefined ? search : resolveSearch(search, resolve),
  };
  return server.execute(httpRequest, context).finally(() => context.state.keyed?.undo());
}

function apolloHeaders(request: FastifyRequest): HeaderMap {
  const headers = new HeaderMap();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  // An empty header means a missing one, but Apollo Server would treat no media type as acceptable.
  if (headers.get('accept') === '') headers.delete('accept');
  return headers;
}

/** Executes a compiled query. Returns the JSON of the response, or undefined if Apollo Server has to execute the request. */
async function runCompiled(
  compiled: CompiledQuery,
  variables: GraphqlRequest['variables'],
  context: Context,
): Promise<string | undefined> {
  const result = await compiled.execute(context, variables);
  if (result.errors !== undefined) return undefined;
  context.state.operation = compiled.operation;
  const json = resultJson(result);
  if (typeof json === 'string') return json;
  context.state.failure = json;
  return graphqlErrorBody(json, context.client.requestId, null);
}

/** Resolves the document of a query string, which is parsed as Apollo Server does. */
function resolveSearch(search: string, resolve: (parameters: JsonObject) => JsonObject): string {
  const parameters = new URLSearchParams(search);
  // It would not be clear which of two documents is executed.
  if (new Set(parameters.keys()).size < parameters.size) {
    throw malformedRequest('A parameter of the query string is repeated.');
  }
  const { extensions, ...texts } = Object.fromEntries(parameters);
  // Apollo Server rejects extensions that are not JSON.
  const parsed = { ...texts, ...(extensions !== undefined && { extensions: parseJson(extensions) }) };
  const resolved = resolve(parsed);
  if (resolved === parsed) return search;
  const { extensions: rest, ...others } = resolved as Readonly<Record<string, string>>;
  return `?${new URLSearchParams({ ...others, ...(rest && { extensions: JSON.stringify(rest) }) })}`;
}
