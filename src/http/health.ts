import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { DataLayer } from '../data/data-layer.ts';
import { ApiError } from '../model/errors.ts';

const HEALTH_CHECK = /^\/(healthz|readyz)(\?|$)/;

/** Returns whether a request is a health check, which no limit applies to. */
export function isHealthCheck({ url }: Pick<FastifyRequest, 'url'>): boolean {
  return HEALTH_CHECK.test(url);
}

/** Adds the health checks: `/healthz` for liveness and `/readyz` for readiness. */
export function addHealthChecks(app: FastifyInstance, data: DataLayer, isStopping: () => boolean): void {
  app.get('/healthz', async () => ({ status: 'ok' }));

  app.get('/readyz', async () => {
    if (isStopping()) throw new ApiError('UNAVAILABLE');
    await data.checkReady();
    return { status: 'ok' };
  });
}
