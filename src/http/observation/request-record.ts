import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ApiError } from '../../model/api-error.ts';

/** Why a request failed, for the log and the metrics. An `ApiError` has these properties. */
export type Failure = Pick<ApiError, 'reason'> & Partial<Pick<ApiError, 'app'>>;

/** A GraphQL operation, for the log and the metrics. */
export type GraphqlOperation = {
  readonly type: string;
  /** The name or its beginning. That of an anonymous operation is empty. */
  readonly name: string;
  /** Whether its document was executed before. */
  readonly isRepeated: boolean;
};

const FAILURE = 'failure';

const OPERATION = 'graphqlOperation';

const MAX_OPERATION_NAME_LENGTH = 100;

/** Adds to requests what the APIs record about them. Must be called before hooks are added. */
export function addRequestRecords(app: FastifyInstance): void {
  app.decorateRequest(FAILURE);
  app.decorateRequest(OPERATION);
}

/** Records why a request failed. */
export function recordFailure(request: FastifyRequest, failure: Failure): void {
  request.setDecorator(FAILURE, failure);
}

/** Records the GraphQL operation of a request. */
export function recordOperation(request: FastifyRequest, operation: GraphqlOperation): void {
  const name = operation.name.slice(0, MAX_OPERATION_NAME_LENGTH);
  request.setDecorator(OPERATION, { ...operation, name });
}

/** Returns why a request failed, or undefined if it did not. */
export function failureOf(request: FastifyRequest): Failure | undefined {
  return request.getDecorator<Failure | undefined>(FAILURE);
}

/** Returns the GraphQL operation, or undefined if none was found. */
export function operationOf(request: FastifyRequest): GraphqlOperation | undefined {
  return request.getDecorator<GraphqlOperation | undefined>(OPERATION);
}

/** Returns the pattern of the route of a request, such as `/wallet/*`, or undefined if the path is unknown. */
export function routeOf({ routeOptions }: FastifyRequest): string | undefined {
  // In the syntax of the router, a literal colon is a double colon.
  return routeOptions.url?.replaceAll('::', ':');
}
