import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { DataLayer, OauthClient, RequestDataLayer } from '../data/data-layer.ts';
import { toApiError } from '../data/to-api-error.ts';
import { RequestClient } from '../http/client.ts';
import { malformedRequest } from '../http/http-error.ts';
import { JSON_TYPE } from '../http/json.ts';
import { type CountRequest, RATE_LIMIT_HEADER } from '../http/protection/rate-limit.ts';
import { ApiError } from '../model/api-error.ts';
import { clientCredentials } from './client-authentication.ts';
import { toOauthError } from './error-body.ts';
import { addFormBody, type Form } from './form.ts';

/** The paths of the OAuth API begin with this. */
export const OAUTH_PATH = '/oauth/';

const METADATA_PATH = '/.well-known/oauth-authorization-server';

type FormRequest = FastifyRequest<{ Body?: Form }>;

/**
 * Adds the OAuth API: the endpoints for tokens (RFC 6749, client credentials) and revocation (RFC 7009), and the metadata
 * of the server (RFC 8414). The client is an app, its secret the private key.
 *
 * @param countRequest counts what succeeds for the app, and what is refused for the address
 * @param publicUrl returns the public URL of the gateway, without a trailing slash
 */
export function addOauthApi(
  root: FastifyInstance,
  data: DataLayer,
  countRequest: CountRequest,
  publicUrl: () => string,
): void {
  const sendMetadata = async ({ url }: FastifyRequest, reply: FastifyReply) => {
    const issuer = publicUrl();
    const paths = [METADATA_PATH, METADATA_PATH + new URL(issuer).pathname];
    if (!paths.includes(url.replace(/\?.*/, ''))) throw new ApiError('PATH_NOT_FOUND');
    // Pages of any origin can read it: it is public.
    reply.header('access-control-allow-origin', '*').header('cache-control', 'public, max-age=300');
    return reply.type(JSON_TYPE).send(JSON.stringify(metadata(issuer)));
  };
  root.get(METADATA_PATH, sendMetadata);
  // Of an issuer with a path, the metadata are between its host and its path. Source: RFC 8414, section 3.1.
  root.get(`${METADATA_PATH}/*`, sendMetadata);

  root.register(async (app) => {
    addFormBody(app);
    app.setErrorHandler(async (error, request, reply) => {
      // Refused before its credentials were compared. An outage says nothing about them.
      const isCounted = reply.hasHeader(RATE_LIMIT_HEADER) || toApiError(error).status === 'UNAVAILABLE';
      if (!isCounted) await countRequest(request, reply, undefined);
      throw toOauthError(error);
    });
    const addEndpoint = (
      path: string,
      handle: (on: RequestDataLayer, request: FormRequest, client: OauthClient) => Promise<unknown>,
    ) =>
      app.post(OAUTH_PATH + path, async (request: FormRequest, reply: FastifyReply) => {
        const count: OauthClient['count'] = (owner) => countRequest(request, reply, owner);
        const client = Object.assign(new RequestClient(request), { count });
        const response = await handle(data.during(client), request, client);
        // Source: RFC 6749, section 5.1. The header Cache-Control is that of all responses.
        return reply.header('pragma', 'no-cache').type(JSON_TYPE).send(JSON.stringify(response));
      });
    addEndpoint('token', issueToken);
    addEndpoint('revoke', revokeToken);
  });
}

/** Source: RFC 6749, section 4.4. */
async function issueToken(on: RequestDataLayer, { headers, body = {} }: FormRequest, client: OauthClient) {
  if (body.grant_type === undefined) throw malformedRequest('The parameter grant_type is required.');
  if (body.grant_type !== 'client_credentials') throw new ApiError('UNSUPPORTED_GRANT_TYPE');
  const isReadOnly = isReadOnlyScope(body.scope);
  const credentials = clientCredentials(headers.authorization, body);
  if (credentials === undefined) throw new ApiError('INVALID_CREDENTIALS');
  const { accessToken, lifetimeSeconds } = await on.grantToken(credentials, isReadOnly, client);
  return {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: lifetimeSeconds,
    scope: isReadOnly ? 'read' : 'read write',
  };
}

/** The response is the same for a token that does not exist. Source: RFC 7009, section 2.2. */
async function revokeToken(on: RequestDataLayer, { headers, body = {} }: FormRequest, client: OauthClient) {
  if (body.token === undefined) throw malformedRequest('The parameter token is required.');
  await on.endToken(body.token, clientCredentials(headers.authorization, body), client);
  return {};
}

/** @throws INVALID_ARGUMENT if the scope is not one of those in the metadata */
function isReadOnlyScope(scope = 'read write'): boolean {
  const names = new Set(scope.split(' '));
  const isReadOnly = !names.delete('write');
  if (!names.delete('read') || names.size > 0) throw new ApiError('INVALID_SCOPE');
  return isReadOnly;
}

function metadata(issuer: string) {
  const methods = ['client_secret_basic', 'client_secret_post'];
  return {
    issuer,
    token_endpoint: `${issuer}${OAUTH_PATH}token`,
    token_endpoint_auth_methods_supported: methods,
    revocation_endpoint: `${issuer}${OAUTH_PATH}revoke`,
    revocation_endpoint_auth_methods_supported: [...methods, 'none'],
    grant_types_supported: ['client_credentials'],
    response_types_supported: [],
    scopes_supported: ['read', 'write'],
  };
}
