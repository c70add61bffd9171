import type { FastifyInstance } from 'fastify';
import type { DataLayer } from '../data/data-layer.ts';
import { ApiError } from '../model/errors.ts';
import { routeKind } from './request-record.ts';

const HEALTH_CHECK = { config: routeKind('health check') };

/** Adds the health checks, which no limit applies to: `/healthz` for liveness and `/readyz` for readiness. */
export function addHealthChecks(app: FastifyInstance, data: DataLayer, isStopping: () => boolean): void {
  app.get('/healthz', HEALTH_CHECK, async () => ({ status: 'ok' }));

  app.get('/readyz', HEALTH_CHECK, async () => {
    if (isStopping()) throw new ApiError('UNAVAILABLE');
    await data.checkReady();
    return { status: 'ok' };
  });
}
