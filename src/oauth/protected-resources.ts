import type { FastifyInstance, RouteOptions } from 'fastify';
import { routeKindOf } from '../http/request/route-kind.ts';
import { patternOf } from '../http/server/error-handling.ts';
import { normalizedTarget } from '../http/server/request-target.ts';

// Bounds the header of a challenge. No path of an API is longer.
const MAX_PATH_LENGTH = 200;

/**
 * The resources that a bearer token is for: the gateway, and each path of its APIs. A strict client accepts only the
 * metadata of the URL that it has requested. Source: RFC 9728, section 3.3.
 */
export class ProtectedResources {
  readonly #publicUrl: () => string;
  readonly #routes: { readonly route: RouteOptions; readonly pattern: URLPattern }[] = [];

  /**
   * Must be called before routes are added.
   *
   * @param publicUrl returns the public URL of the gateway, without a trailing slash
   */
  constructor(app: FastifyInstance, publicUrl: () => string) {
    this.#publicUrl = publicUrl;
    // An API marks its routes in a later hook.
    app.addHook('onRoute', (route) => {
      this.#routes.push({ route, pattern: patternOf(route.url) });
    });
  }

  /** The public URL, which is also the issuer of the tokens. */
  get gateway(): string {
    return this.#publicUrl();
  }

  has(url: string): boolean {
    if (!url.startsWith(this.gateway)) return false;
    const path = url.slice(this.gateway.length);
    // Libraries write a URL without a path with a slash.
    if (path === '' || path === '/') return true;
    // A query, a fragment or a different spelling is not part of a resource.
    if (path.length > MAX_PATH_LENGTH || URL.parse(path, this.gateway)?.pathname !== path) return false;
    const pathname = normalizedTarget({ url: path });
    return this.#routes.some(
      ({ route, pattern }) => routeKindOf(route) === 'api' && pattern.test({ pathname }),
    );
  }

  /** Returns the resource of a request. @param target the request target as the client sent it */
  of(target: string): string {
    const url = this.gateway + (URL.parse(target, this.gateway)?.pathname ?? '');
    return this.has(url) ? url : this.gateway;
  }
}
