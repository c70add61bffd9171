// Records traces of the gateway, and sends them to an OpenTelemetry collector.
//
//   npm install @opentelemetry/api@1.10 @opentelemetry/sdk-trace@3.1 @opentelemetry/core@3.1 \
//     @opentelemetry/resources@3.1 @opentelemetry/context-async-hooks@3.1 \
//     @opentelemetry/exporter-trace-otlp-http@0.301
//   NODE_OPTIONS=--import=/srv/paw/tracing.js npx paw serve
//
// OTEL_EXPORTER_OTLP_ENDPOINT is the URL of the collector, by default http://localhost:4318.
import { hostname } from 'node:os';
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';

const provider = new TracerProvider({
  resource: resourceFromAttributes({
    'service.name': 'paw-gateway',
    'service.instance.id': `${hostname()}-${process.pid}`,
  }),
  // All requests. A client that sends a trace of its own decides for its requests.
  sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(1) }),
  spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
});

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
propagation.setGlobalPropagator(new W3CTraceContextPropagator());
trace.setGlobalTracerProvider(provider);

// Sends the last spans when the server has stopped. If the collector is away, they are lost.
process.once('beforeExit', () => provider.shutdown().catch(() => {}));
