import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ApiError } from '../model/api-error.ts';

/** Why a request failed, for the log and the metrics. An `ApiError` has these properties. */
export type Failure = Pick<ApiError, 'reason'> & Partial<Pick<ApiError, 'app'>>;

const FAILURE = 'failure';

const OPERATION_NAME = 'operationName';

const MAX_OPERATION_NAME_LENGTH = 100;

/** Adds to requests what the APIs record about them. Must be called before hooks are added. */
export function addRequestRecords(app: FastifyInstance): void {
  app.decorateRequest(FAILURE);
  app.decorateRequest(OPERATION_NAME);
}

/** Records why a request failed. */
export function recordFailure(request: FastifyRequest, failure: Failure): void {
  request.setDecorator(FAILURE, failure);
}

/** Records the name of the GraphQL operation of a request, or its beginning. The name of an anonymous one is empty. */
export function recordOperationName(request: FastifyRequest, name: string): void {
  request.setDecorator(OPERATION_NAME, name.slice(0, MAX_OPERATION_NAME_LENGTH));
}

/** Returns why a request failed, or undefined if it did not. */
export function failureOf(request: FastifyRequest): Failure | undefined {
  return request.getDecorator<Failure | undefined>(FAILURE);
}

/** Returns the name of the GraphQL operation, or undefined if none was found. */
export function operationNameOf(request: FastifyRequest): string | undefined {
  return request.getDecorator<string | undefined>(OPERATION_NAME);
}
