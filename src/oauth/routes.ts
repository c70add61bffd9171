import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Client, DataLayer, RequestDataLayer } from '../data/data-layer.ts';
import { RequestClient } from '../http/client.ts';
import { malformedRequest } from '../http/http-error.ts';
import { JSON_TYPE } from '../http/json.ts';
import { ApiError, invalidCredentials } from '../model/api-error.ts';
import { clientCredentials } from './client-authentication.ts';
import { withOauthErrors } from './error-body.ts';
import { addFormBody, type Form } from './form.ts';

/** The paths of the OAuth API begin with this. */
export const OAUTH_PATH = '/oauth/';

const METADATA_PATH = '/.well-known/oauth-authorization-server';

type FormRequest = FastifyRequest<{ Body?: Form }>;

/**
 * Adds the OAuth API: the endpoints for tokens (RFC 6749, client credentials) and revocation (RFC 7009), and the metadata
 * of the server (RFC 8414). The client is an app, its secret the private key.
 *
 * @param publicUrl returns the public URL of the gateway, without a trailing slash
 */
export function addOauthApi(root: FastifyInstance, data: DataLayer, publicUrl: () => string): void {
  root.get(METADATA_PATH, async (_request, reply) => {
    // Pages of any origin can read it: it is public.
    reply.header('access-control-allow-origin', '*').header('cache-control', 'public, max-age=300');
    return reply.type(JSON_TYPE).send(JSON.stringify(metadata(publicUrl())));
  });

  root.register(async (app) => {
    addFormBody(app);
    const addEndpoint = (
      path: string,
      handle: (on: RequestDataLayer, request: FormRequest, client: Client) => Promise<unknown>,
    ) =>
      app.post(OAUTH_PATH + path, async (request: FormRequest, reply: FastifyReply) => {
        const client = new RequestClient(request, reply);
        const response = await withOauthErrors(() => handle(data.during(client), request, client));
        // Source: RFC 6749, section 5.1. The header Cache-Control is that of all responses.
        return reply.header('pragma', 'no-cache').type(JSON_TYPE).send(JSON.stringify(response));
      });
    addEndpoint('token', issueToken);
    addEndpoint('revoke', revokeToken);
  });
}

/** Source: RFC 6749, section 4.4. */
async function issueToken(on: RequestDataLayer, { headers, body = {} }: FormRequest, client: Client) {
  if (body.grant_type === undefined) throw malformedRequest('The parameter grant_type is required.');
  if (body.grant_type !== 'client_credentials') {
    const message = 'The parameter grant_type must be client_credentials.';
    throw new ApiError('INVALID_ARGUMENT', 'UNSUPPORTED_GRANT_TYPE', message);
  }
  const isReadOnly = isReadOnlyScope(body.scope);
  const credentials = clientCredentials(headers.authorization, body);
  if (credentials === undefined) throw invalidCredentials();
  const { accessToken, lifetimeSeconds } = await on.grantToken(credentials, isReadOnly, client);
  return {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: lifetimeSeconds,
    scope: isReadOnly ? 'read' : 'read write',
  };
}

/** The response is the same for a token that does not exist. Source: RFC 7009, section 2.2. */
async function revokeToken(on: RequestDataLayer, { headers, body = {} }: FormRequest, client: Client) {
  if (body.token === undefined) throw malformedRequest('The parameter token is required.');
  await on.endToken(body.token, clientCredentials(headers.authorization, body), client);
  return {};
}

/** @throws INVALID_ARGUMENT if the scope is not one of those in the metadata */
function isReadOnlyScope(scope = 'read write'): boolean {
  const names = new Set(scope.split(' '));
  const isReadOnly = !names.delete('write');
  if (!names.delete('read') || names.size > 0) {
    throw new ApiError(
      'INVALID_ARGUMENT',
      'INVALID_SCOPE',
      'The parameter scope must be read, or read write.',
    );
  }
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
