import type { Tracer } from '@opentelemetry/api';
import type { FastifyRequest } from 'fastify';
import { failureOf, operationOf } from '../http/observation/request-record.ts';
import { inSpan } from './in-span.ts';

/**
 * Returns a function that executes GraphQL requests like `execute`, and records a span for each. The document and the
 * variables are left out. Source: OpenTelemetry, semantic conventions for GraphQL; the name of the operation is not part
 * of the name of the span, because the client chooses it.
 */
export function tracedExecution<Rest extends readonly unknown[], T>(
  tracer: Tracer,
  execute: (request: FastifyRequest, ...rest: Rest) => Promise<T>,
): (request: FastifyRequest, ...rest: Rest) => Promise<T> {
  return (request, ...rest) =>
    inSpan(tracer, 'GraphQL Operation', {}, async (span) => {
      const response = await execute(request, ...rest);
      const operation = operationOf(request);
      if (operation !== undefined) {
        span.updateName(operation.type);
        span.setAttribute('graphql.operation.type', operation.type);
        if (operation.name !== '') span.setAttribute('graphql.operation.name', operation.name);
      }
      const failure = failureOf(request);
      if (failure !== undefined) span.setAttribute('error.type', failure.reason);
      return response;
    });
}
