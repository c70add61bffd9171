import type { RouteOptions } from 'fastify';

/**
 * The kind of a route: an API whose clients send a bearer token, one that counts its requests itself, or a health check.
 */
export type RouteKind = 'api' | 'oauth' | 'health check';

const KIND = Symbol('kind');

/** Returns the configuration of a route of this kind. Other routes have no kind, such as pages. */
export function routeKind(kind: RouteKind): object {
  return { [KIND]: kind };
}

export function routeKindOf({ config = {} }: Pick<RouteOptions, 'config'>): RouteKind | undefined {
  return (config as { readonly [KIND]?: RouteKind })[KIND];
}
