import type { Tracer } from '@opentelemetry/api';
import type { Attempt, DataLayer, Operations, RequestDataLayer } from '../data/data-layer.ts';
import { inSpan } from './in-span.ts';

/**
 * Records a span for each operation, except for health checks. It has the name of the operation, and none of its
 * arguments.
 */
export function tracedDataLayer(tracer: Tracer, data: DataLayer): DataLayer {
  const run = <T>(name: string, work: () => Promise<T>) => inSpan(tracer, name, {}, work);

  function tracedOperations<T extends Operations>(operations: T): T {
    const traced = Object.entries(operations).map(([name, operation]) => [
      name,
      (...input: readonly unknown[]) =>
        run(name, () => Reflect.apply(operation, operations, input) as Promise<unknown>),
    ]);
    // It has the same names, and the functions have the same types.
    return Object.fromEntries(traced) as T;
  }

  function tracedAttempt(attempt: Attempt): Attempt {
    if (attempt.response !== undefined) return attempt;
    const { keep, abandon } = attempt;
    return {
      data: tracedOperations(attempt.data),
      keep: (response) => run('keep', () => keep(response)),
      abandon: () => run('abandon', abandon),
    };
  }

  function tracedRequest({ attempt, ...operations }: RequestDataLayer): RequestDataLayer {
    return {
      ...tracedOperations(operations),
      attempt: (principal, request) =>
        run('attempt', async () => tracedAttempt(await attempt(principal, request))),
      checkReady: operations.checkReady,
    };
  }

  const { during, ...operations } = data;
  const traced: DataLayer = {
    ...tracedRequest(operations),
    during(client) {
      const own = during(client);
      return own === data ? traced : tracedRequest(own);
    },
  };
  return traced;
}
