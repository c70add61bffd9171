// Records traces of the gateway, and sends them to an OpenTelemetry collector.
//
//   npm install @opentelemetry/api@1.10 @opentelemetry/sdk-node@0.301 @fastify/otel@0.21 \
//     @opentelemetry/instrumentation-graphql@0.72 @opentelemetry/instrumentation-pg@0.77
//   node --import=./node_modules/paw-gateway/deploy/tracing.mjs node_modules/paw-gateway/dist/main.js serve
//
// The collector, the sampler and the rest are set by the variables OTEL_… of the SDK.
import { subscribe } from 'node:diagnostics_channel';
import { FastifyOtelInstrumentation } from '@fastify/otel';
import { context, propagation, SpanStatusCode, trace } from '@opentelemetry/api';
import { GraphQLInstrumentation } from '@opentelemetry/instrumentation-graphql';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import { NodeSDK } from '@opentelemetry/sdk-node';

// Less than a supervisor of deploy/ leaves after PAW_STOP_DELAY and the requests of a stop.
const FLUSH_MS = 2000;

const fastify = new FastifyOtelInstrumentation({
  registerOnInitialization: true,
  ignorePaths: '/{healthz,readyz}',
  instrumentHooks: false,
  instrumentHandler: false,
  requestHook(span, request) {
    const { method, routeOptions } = request;
    const route = routeOptions.url?.replaceAll('::', ':');
    span.updateName(route === undefined ? method : `${method} ${route}`);
    // The path and the query string of a request can contain anything.
    span.setAttribute('url.path', route ?? '');
    const own = trace.setSpan(context.active(), span);
    // A body is read in the context of its connection.
    context.bind(own, request.raw);
    // The log of requests has the trace id of this header.
    propagation.inject(own, request.headers);
  },
});

subscribe('fastify.initialization', ({ fastify: app }) => {
  app.addHook('onSend', async (request, { statusCode }) => {
    const { span } = request.opentelemetry();
    const { operation, failure } = request.getDecorator('notes') ?? {};
    if (operation) span?.setAttribute('graphql.operation.type', operation.type);
    if (operation?.name) span?.setAttribute('graphql.operation.name', operation.name);
    if (!failure) return;
    span?.setAttribute('error.type', failure.reason);
    // A refused request is not an error, and the message of an error can contain values.
    span?.setStatus({ code: statusCode >= 500 ? SpanStatusCode.ERROR : SpanStatusCode.OK });
  });
});

const sdk = new NodeSDK({
  serviceName: process.env.OTEL_SERVICE_NAME ?? 'paw-gateway',
  // Events are exceptions, whose messages can contain values.
  spanLimits: { eventCountLimit: 0 },
  logRecordProcessors: [],
  // PAW_METRICS_PORT has the metrics.
  metricReaders: [],
  instrumentations: [
    fastify,
    new GraphQLInstrumentation({ ignoreResolveSpans: true }),
    new PgInstrumentation({
      requireParentSpan: true,
      ignoreConnectSpans: true,
      requestHook(span, { query: { text } }) {
        const [verb] = /^\w+/.exec(text) ?? [];
        const [, table] = /\b(?:FROM|INTO|UPDATE) (\w+)/.exec(text) ?? [];
        span.updateName(table === undefined ? verb : `${verb} ${table}`);
      },
    }),
  ],
});
sdk.start();

// Sends the last spans when the server has stopped. If the collector does not take them in time, they are lost.
process.once('beforeExit', () => {
  setTimeout(() => process.exit(), FLUSH_MS).unref();
  sdk.shutdown().catch(() => {});
});
