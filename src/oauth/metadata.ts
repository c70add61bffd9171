import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { JSON_TYPE } from '../http/json.ts';
import { ApiError } from '../model/api-error.ts';

const SERVER_PATH = '/.well-known/oauth-authorization-server';
const RESOURCE_PATH = '/.well-known/oauth-protected-resource';

const SCOPES = ['read', 'write'];

/**
 * Adds the metadata of the authorization server (RFC 8414) and of the protected resource (RFC 9728), which are one server,
 * and names the latter in the challenges of all responses with 401 and 403.
 *
 * @param publicUrl returns the public URL of the gateway, without a trailing slash
 */
export function addMetadata(root: FastifyInstance, publicUrl: () => string): void {
  addDocument(root, SERVER_PATH, publicUrl, serverMetadata);
  addDocument(root, RESOURCE_PATH, publicUrl, resourceMetadata);
  root.addHook('onSend', (_request, reply, _payload, done) => {
    if (reply.statusCode === 401 || reply.statusCode === 403) {
      const challenge = reply.getHeader('www-authenticate');
      // Source: RFC 9728, section 5.1.
      if (typeof challenge === 'string' && challenge.startsWith('Bearer')) {
        const { origin, pathname } = new URL(publicUrl());
        const url = origin + RESOURCE_PATH + pathname.replace(/\/$/, '');
        reply.header('www-authenticate', `${challenge}, resource_metadata="${url}"`);
      }
    }
    done();
  });
}

function addDocument(
  root: FastifyInstance,
  path: string,
  publicUrl: () => string,
  documentOf: (url: string) => object,
): void {
  const send = async ({ url }: FastifyRequest, reply: FastifyReply) => {
    const base = publicUrl();
    if (![path, path + new URL(base).pathname].includes(url.replace(/\?.*/, ''))) {
      throw new ApiError('PATH_NOT_FOUND');
    }
    // Pages of any origin can read it: it is public.
    reply.header('access-control-allow-origin', '*').header('cache-control', 'public, max-age=300');
    return reply.type(JSON_TYPE).send(JSON.stringify(documentOf(base)));
  };
  root.get(path, send);
  // Of a URL with a path, they are between its host and its path. Source: RFC 8414, section 3.1; RFC 9728, section 3.1.
  root.get(`${path}/*`, send);
}

function serverMetadata(issuer: string) {
  const methods = ['client_secret_basic', 'client_secret_post'];
  return {
    issuer,
    token_endpoint: `${issuer}/oauth/token`,
    token_endpoint_auth_methods_supported: methods,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    revocation_endpoint_auth_methods_supported: [...methods, 'none'],
    introspection_endpoint: `${issuer}/oauth/introspect`,
    introspection_endpoint_auth_methods_supported: methods,
    grant_types_supported: ['client_credentials'],
    response_types_supported: [],
    scopes_supported: SCOPES,
  };
}

function resourceMetadata(resource: string) {
  return {
    resource,
    authorization_servers: [resource],
    scopes_supported: SCOPES,
    bearer_methods_supported: ['header'],
    resource_name: 'PAW gateway',
    resource_documentation: `${resource}/docs/api.md`,
  };
}
