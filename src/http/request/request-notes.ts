import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { LimitOwner, Principal } from '../../model/caller.ts';
import type { ApiError } from '../../model/errors.ts';
import { type RouteKind, routeKindOf } from './route-kind.ts';

/** Why a request failed, for the log and the metrics. An `ApiError` has these properties. */
export type RequestFailure = { readonly reason: string } & Partial<
  Pick<ApiError, 'app' | 'claimed' | 'outage' | 'resource'>
>;

/** A GraphQL operation, for the log and the metrics. */
export type GraphqlOperation = {
  readonly type: string;
  /** The name or its start. It is empty for an anonymous operation. */
  readonly name: string;
  /** Whether its document was executed before. */
  readonly isRepeated: boolean;
};

/** Facts about a request other than its content. */
export type RequestNotes = {
  /** The kind of its route, once it was asked for. */
  kind?: RouteKind | 'other';
  authentication?: Promise<Principal>;
  /** Undefined if the request was not authenticated. */
  principal?: Principal;
  /** The time that the authentication has taken. The body may arrive between it and the operation. */
  authenticationMs?: number;
  /** Whether the body had not arrived completely at the authentication. */
  isBodyPending?: boolean;
  /** The credential and the account whose limits the request counts for. */
  owner?: LimitOwner;
  failure?: RequestFailure;
  operation?: GraphqlOperation;
  /** Gives back the place of the request among those in progress. */
  leave?: (() => void) | undefined;
};

const NOTES = 'notes';

/** Must be called before hooks are added. */
export function addRequestNotes(app: FastifyInstance): void {
  app.decorateRequest(NOTES);
}

export function requestNotes(request: FastifyRequest): RequestNotes {
  const known = request.getDecorator<RequestNotes | undefined>(NOTES);
  if (known !== undefined) return known;
  const notes: RequestNotes = {};
  request.setDecorator(NOTES, notes);
  return notes;
}

/** Returns the kind of the route of a request; `other` for a page, and for a path that is unknown. */
export function routeKindOfRequest(request: FastifyRequest): RouteKind | 'other' {
  const notes = requestNotes(request);
  // Fastify creates an object with the options each time.
  notes.kind ??= routeKindOf(request.routeOptions) ?? 'other';
  return notes.kind;
}

/** Returns the pattern of the route of a request, such as `/wallet/*`, or undefined if the path is unknown. */
export function routeOf({ routeOptions }: FastifyRequest): string | undefined {
  // In the syntax of the router, a literal colon is a double colon.
  return routeOptions.url?.replaceAll('::', ':');
}
