import {
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { clientAddress } from '../http/client.ts';
import { isHealthCheck } from '../http/health.ts';
import { failureOf } from '../http/observation/request-record.ts';
import { routeNames } from '../http/observation/route-names.ts';

const CONTEXT = 'traceContext';

// Source: OpenTelemetry, semantic conventions for HTTP spans.
const METHODS = new Set([
  'CONNECT',
  'DELETE',
  'GET',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'POST',
  'PUT',
  'QUERY',
  'TRACE',
]);

/**
 * Adds the hook that records a span for each request, except for health checks. Its parent is the span that the client
 * has sent, in the header `traceparent` or as the SDK is configured. The path, the query string and other texts that the
 * client can choose are left out, as in the log.
 *
 * Must be called before routes are added.
 */
export function addRequestSpans(app: FastifyInstance, tracer: Tracer): void {
  app.decorateRequest(CONTEXT);
  const routeOf = routeNames(app);

  app.addHook('onRequest', (request, reply, done) => {
    if (isHealthCheck(request)) return done();
    const parent = propagation.extract(ROOT_CONTEXT, request.headers);
    const span = startSpan(tracer, request, reply, routeOf(request), parent);
    request.setDecorator(CONTEXT, trace.setSpan(parent, span));
    // Emitted after the end of the response, too.
    reply.raw.once('close', () => endSpan(span, request, reply));
    done();
  });
}

/**
 * Adds the hook that makes the span of a request the parent of what follows. To be called after hooks that let requests
 * wait, because they continue a request in the context of another one.
 */
export function addRequestContext(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    context.with(request.getDecorator<Context | undefined>(CONTEXT) ?? ROOT_CONTEXT, done);
  });
}

/** Returns the trace id of a request, or undefined if the request has no span. */
export function traceIdOf(request: FastifyRequest): string | undefined {
  const own = request.getDecorator<Context | undefined>(CONTEXT);
  return own && trace.getSpanContext(own)?.traceId;
}

function startSpan(
  tracer: Tracer,
  request: FastifyRequest,
  reply: FastifyReply,
  route: string | undefined,
  parent: Context,
): Span {
  const isKnown = METHODS.has(request.method);
  const method = isKnown ? request.method : 'HTTP';
  const options = {
    kind: SpanKind.SERVER,
    // The request may have waited.
    startTime: performance.now() - reply.elapsedTime,
    attributes: {
      'http.request.method': isKnown ? request.method : '_OTHER',
      ...(route !== undefined && { 'http.route': route }),
      'url.scheme': 'http',
      'network.protocol.version': request.raw.httpVersion,
      'client.address': clientAddress(request),
    },
  };
  return tracer.startSpan(route === undefined ? method : `${method} ${route}`, options, parent);
}

function endSpan(span: Span, request: FastifyRequest, { raw, statusCode }: FastifyReply): void {
  if (raw.writableFinished) {
    span.setAttribute('http.response.status_code', statusCode);
    if (statusCode >= 500) {
      span.setAttribute('error.type', failureOf(request)?.reason ?? String(statusCode));
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
  } else {
    span.setAttribute('error.type', 'CONNECTION_CLOSED');
  }
  span.end(performance.now());
}
