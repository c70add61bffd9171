import type { FastifyInstance } from 'fastify';
import type { DataLayer } from '../data/data-layer.ts';
import { unavailable } from '../model/api-error.ts';

/**
 * Adds what a supervisor asks: `/healthz`, whether the process is alive, and
 * `/readyz`, whether to send it requests.
 *
 * @param isStopping whether the server has been told to stop
 */
export function addHealth(app: FastifyInstance, data: DataLayer, isStopping: () => boolean): void {
  app.get('/healthz', async () => ({ status: 'ok' }));

  app.get('/readyz', async () => {
    if (isStopping()) throw unavailable();
    await data.checkReady();
    return { status: 'ok' };
  });
}
