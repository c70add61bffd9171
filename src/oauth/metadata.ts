import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { JSON_TYPE } from '../http/server/json.ts';
import { sendDocument } from '../http/server/public-document.ts';
import { ApiError } from '../model/errors.ts';
import type { ProtectedResources } from './protected-resources.ts';

const SERVER_PATH = '/.well-known/oauth-authorization-server';
const RESOURCE_PATH = '/.well-known/oauth-protected-resource';

const SCOPES = ['read', 'write'];

/**
 * Adds the metadata of the authorization server (RFC 8414) and of the protected resources (RFC 9728), which are one
 * server, and names the metadata of the requested resource in the challenges of all responses with 401 and 403.
 */
export function addMetadata(root: FastifyInstance, resources: ProtectedResources): void {
  addDocument(root, SERVER_PATH, resources, (url) =>
    url === resources.gateway ? serverMetadata(url) : undefined,
  );
  addDocument(root, RESOURCE_PATH, resources, (url) =>
    resources.has(url) ? resourceMetadata(url, resources.gateway) : undefined,
  );
  root.addHook('onSend', ({ originalUrl }, reply, _payload, done) => {
    if (reply.statusCode === 401 || reply.statusCode === 403) {
      const challenge = reply.getHeader('www-authenticate');
      // Source: RFC 9728, section 5.1.
      if (typeof challenge === 'string' && challenge.startsWith('Bearer')) {
        const { origin, pathname } = new URL(resources.of(originalUrl));
        const url = origin + RESOURCE_PATH + pathname.replace(/\/$/, '');
        reply.header('www-authenticate', `${challenge}, resource_metadata="${url}"`);
      }
    }
    done();
  });
}

/** @param documentOf returns the document of a URL, or undefined if it has none */
function addDocument(
  root: FastifyInstance,
  path: string,
  resources: ProtectedResources,
  documentOf: (url: string) => object | undefined,
): void {
  const send = async ({ originalUrl }: FastifyRequest, reply: FastifyReply) => {
    const { origin } = new URL(resources.gateway);
    const suffix = URL.parse(originalUrl, origin)?.pathname.slice(path.length).replace(/^\/$/, '');
    const document = documentOf(suffix ? origin + suffix : resources.gateway);
    if (document === undefined) throw new ApiError('PATH_NOT_FOUND');
    return sendDocument(reply, JSON_TYPE, JSON.stringify(document));
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
    // No response types: there is no authorization endpoint, and an empty list is not allowed. Source: RFC 8414, section 3.2.
    grant_types_supported: ['client_credentials'],
    scopes_supported: SCOPES,
  };
}

function resourceMetadata(resource: string, issuer: string) {
  return {
    resource,
    authorization_servers: [issuer],
    scopes_supported: SCOPES,
    bearer_methods_supported: ['header'],
    resource_name: 'PAW gateway',
    resource_documentation: `${issuer}/docs/api.md`,
  };
}
