import { ProxyTracerProvider, trace } from '@opentelemetry/api';
import { expect, test } from 'vitest';
import { isSdkLoaded } from '../../../src/tracing/sdk.ts';

test('an SDK is loaded once it has registered its tracers, and not by the API alone', () => {
  trace.getTracer('test').startSpan('without an SDK').end();
  expect(isSdkLoaded()).toBe(false);
  trace.setGlobalTracerProvider(new ProxyTracerProvider());
  expect(isSdkLoaded()).toBe(true);
  trace.disable();
  expect(isSdkLoaded()).toBe(false);
});
