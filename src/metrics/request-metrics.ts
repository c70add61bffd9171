import { Counter, Histogram, type Registry } from '@prometheus-io/client';
import type { FastifyInstance } from 'fastify';
import { requestNotes, routeOf } from '../http/request/request-notes.ts';
import { ERRORS } from '../model/errors.ts';

// Source: OpenTelemetry, semantic conventions for HTTP metrics.
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** The number of GraphQL operation names that are measured separately. */
const MAX_OPERATION_NAMES = 100;

export function addRequestMetrics(app: FastifyInstance, registry: Registry): void {
  const registers = [registry];
  const durations = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'The time from the headers of a request to the end of its response. Without a route, the path is unknown.',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    buckets: BUCKETS,
    registers,
  });
  const errors = new Counter({
    name: 'paw_errors_total',
    help: 'Failed requests, by the reason of the first error.',
    labelNames: ['reason'],
    registers,
  });
  // The rate of a series that begins with its first error does not contain this error.
  for (const reason of Object.keys(ERRORS)) errors.inc({ reason }, 0);
  const lockTimeouts = new Counter({
    name: 'paw_lock_timeouts_total',
    help: 'Failed requests whose first error is a lock that timed out, or a lost conflict.',
    registers,
  });
  const operations = new Histogram({
    name: 'paw_graphql_operation_duration_seconds',
    help: `The time of a GraphQL request, by operation: the first ${MAX_OPERATION_NAMES} names that were sent repeatedly with a valid token, or "other".`,
    labelNames: ['operation'],
    buckets: BUCKETS,
    registers,
  });
  const names = new Set<string>();

  app.addHook('onResponse', (request, reply, done) => {
    const seconds = reply.elapsedTime / 1000;
    const labels = {
      http_request_method: request.method,
      http_route: routeOf(request) ?? '',
      http_response_status_code: String(reply.statusCode),
    };
    durations.observe(labels, seconds);
    const { failure, operation, principal } = requestNotes(request);
    if (failure !== undefined) errors.inc({ reason: failure.reason });
    if (failure?.outage === 'lock') lockTimeouts.inc();
    if (operation !== undefined) {
      const { name, isRepeated } = operation;
      // Otherwise anybody could use up the names.
      const isCountable = isRepeated && principal !== undefined;
      if (isCountable && names.size < MAX_OPERATION_NAMES) names.add(name);
      operations.observe({ operation: names.has(name) ? name : 'other' }, seconds);
    }
    done();
  });
}
