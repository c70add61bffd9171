import type { FastifyInstance, FastifyRequest } from 'fastify';
import { toApiError } from '../data/call/to-api-error.ts';
import type { DataLayer } from '../data/data-layer.ts';
import type { AppCredentials } from '../data/sign-in.ts';
import { grantToken } from '../data/tokens/grant-token.ts';
import { introspectToken } from '../data/tokens/introspect-token.ts';
import { revokeTokenByText } from '../data/tokens/revoke-token-by-text.ts';
import { malformedRequest } from '../http/errors/error-responses.ts';
import { type CountRequest, RATE_LIMIT_HEADER } from '../http/limits/rate-limit.ts';
import { RequestClient } from '../http/request/request-client.ts';
import { routeKind } from '../http/request/route-kind.ts';
import { JSON_TYPE } from '../http/server/json.ts';
import type { Client } from '../model/caller.ts';
import { ApiError } from '../model/errors.ts';
import type { Token } from '../model/token.ts';
import { clientCredentials } from './client-authentication.ts';
import { toOauthError } from './error-format.ts';
import { addFormBody, type Form } from './form.ts';
import { addMetadata } from './metadata.ts';
import type { ProtectedResources } from './protected-resources.ts';

/** The paths of the OAuth API begin with this. */
export const OAUTH_PATH = '/oauth/';

type FormRequest = FastifyRequest<{ Body?: Form }>;

type Call = ReturnType<DataLayer['withoutToken']>;

/**
 * Adds the OAuth API: the endpoints for tokens (RFC 6749, client credentials), revocation (RFC 7009) and introspection
 * (RFC 7662), and the metadata. The client is an app, its secret the private key.
 *
 * @param countRequest counts successful requests for the app, and refused ones for the address
 */
export function addOauthApi(
  root: FastifyInstance,
  data: DataLayer,
  countRequest: CountRequest,
  resources: ProtectedResources,
): void {
  addMetadata(root, resources);
  root.register(async (app) => {
    addFormBody(app);
    app.setErrorHandler(async (error, request, reply) => {
      // Refused before its credentials were compared. An outage says nothing about them.
      const isCounted = reply.hasHeader(RATE_LIMIT_HEADER) || toApiError(error).status === 'UNAVAILABLE';
      if (!isCounted) countRequest(request, reply, undefined);
      throw toOauthError(error);
    });
    const addEndpoint = (path: string, handle: (call: Call, request: FormRequest) => Promise<unknown>) =>
      app.post(OAUTH_PATH + path, { config: routeKind('oauth') }, async (request: FormRequest, reply) => {
        const count: Client['count'] = (owner) => countRequest(request, reply, owner);
        const client = Object.assign(new RequestClient(request), { count });
        const response = await handle(data.withoutToken(client), request);
        // Source: RFC 6749, section 5.1. All responses have the header Cache-Control.
        return reply.header('pragma', 'no-cache').type(JSON_TYPE).send(JSON.stringify(response));
      });
    addEndpoint('token', (...parameters) => issueToken(resources, ...parameters));
    addEndpoint('revoke', revokeToken);
    addEndpoint('introspect', async (...parameters) =>
      introspection(resources.gateway, await findToken(...parameters)),
    );
  });
}

/** Source: RFC 6749, section 4.4; RFC 8707, section 2. */
async function issueToken(resources: ProtectedResources, call: Call, { headers, body = {} }: FormRequest) {
  if (body.grant_type === undefined) throw malformedRequest('The parameter grant_type is required.');
  if (body.grant_type !== 'client_credentials') throw new ApiError('UNSUPPORTED_GRANT_TYPE');
  if (!resources.has(body.resource ?? resources.gateway)) throw new ApiError('INVALID_TARGET');
  const isReadOnly = isReadOnlyScope(body.scope);
  const credentials = requiredCredentials(headers.authorization, body);
  const { accessToken, lifetimeSeconds } = await grantToken(call, credentials, isReadOnly);
  return {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: lifetimeSeconds,
    scope: scopeOf(isReadOnly),
  };
}

/** The response is the same for a token that does not exist. Source: RFC 7009, section 2.2. */
async function revokeToken(call: Call, { headers, body = {} }: FormRequest) {
  if (body.token === undefined) throw malformedRequest('The parameter token is required.');
  await revokeTokenByText(call, body.token, clientCredentials(headers.authorization, body));
  return {};
}

/** Source: RFC 7662, section 2.1. */
async function findToken(call: Call, { headers, body = {} }: FormRequest) {
  if (body.token === undefined) throw malformedRequest('The parameter token is required.');
  return introspectToken(call, body.token, requiredCredentials(headers.authorization, body));
}

/** Source: RFC 7662, section 2.2. `project` is an extension. */
function introspection(issuer: string, token: Token | undefined) {
  if (token === undefined) return { active: false };
  return {
    active: true,
    scope: scopeOf(token.readOnly),
    client_id: token.app,
    token_type: 'Bearer',
    exp: Math.floor(token.expireTimeMs / 1000),
    iat: Math.floor(token.createTimeMs / 1000),
    sub: token.app,
    aud: issuer,
    iss: issuer,
    jti: `tokens/${token.id}`,
    project: token.project,
  };
}

function requiredCredentials(authorization: string | undefined, form: Form): AppCredentials {
  const credentials = clientCredentials(authorization, form);
  if (credentials === undefined) throw new ApiError('INVALID_CREDENTIALS');
  return credentials;
}

function scopeOf(isReadOnly: boolean): string {
  return isReadOnly ? 'read' : 'read write';
}

/** @throws INVALID_ARGUMENT if the scope is not one of those in the metadata */
function isReadOnlyScope(scope = 'read write'): boolean {
  const names = new Set(scope.split(' '));
  const isReadOnly = !names.delete('write');
  if (!names.delete('read') || names.size > 0) throw new ApiError('INVALID_SCOPE');
  return isReadOnly;
}
