import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../model/errors.ts';
import { routeKind } from '../request/route-kind.ts';

const HEALTH_CHECK = { config: routeKind('health check') };

/**
 * Adds the health checks, which no limit applies to: `/healthz` for liveness and `/readyz` for readiness.
 *
 * @param engine its `checkReady` rejects with UNAVAILABLE if this instance can't serve requests
 */
export function addHealthChecks(
  app: FastifyInstance,
  engine: { checkReady(): Promise<void> },
  isStopping: () => boolean,
): void {
  app.get('/healthz', HEALTH_CHECK, async () => ({ status: 'ok' }));

  app.get('/readyz', HEALTH_CHECK, async () => {
    if (isStopping()) throw new ApiError('UNAVAILABLE');
    await engine.checkReady();
    return { status: 'ok' };
  });
}
