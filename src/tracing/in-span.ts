import { type Span, type SpanOptions, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import { shouldLog, toApiError } from '../model/api-error.ts';
import { RolledBack } from '../storage/database.ts';

/**
 * Runs `work` in a span, which is the parent of all spans that begin in it.
 *
 * @returns the result of `work`
 * @throws what `work` throws
 */
export function inSpan<T>(
  tracer: Tracer,
  name: string,
  options: SpanOptions,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  return tracer.startActiveSpan(name, options, async (span) => {
    try {
      return await work(span);
    } catch (thrown) {
      recordError(span, thrown);
      throw thrown;
    } finally {
      span.end();
    }
  });
}

/**
 * Records the reason of an error. Its message is left out, because that of a database contains values. Only a fault of
 * the gateway or of its database gives the span the status of an error, and not a refused request.
 */
function recordError(span: Span, thrown: unknown): void {
  // The error for which it was rolled back is that of another span.
  if (thrown instanceof RolledBack) return;
  const error = toApiError(thrown);
  span.setAttribute('error.type', error.reason);
  if (shouldLog(error)) span.setStatus({ code: SpanStatusCode.ERROR });
}
