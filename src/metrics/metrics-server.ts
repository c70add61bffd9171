import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Registry } from '@prometheus-io/client';

export type MetricsServer = { close(): Promise<void> };

/** Serves metrics at `/metrics` on a separate port, in the text format of Prometheus, without authentication. */
export async function startMetricsServer(
  host: string,
  port: number,
  registry: Registry,
): Promise<MetricsServer> {
  const server = createServer(async ({ method, url }, response) => {
    if (url !== '/metrics' || (method !== 'GET' && method !== 'HEAD')) {
      response.writeHead(404).end();
      return;
    }
    try {
      const text = await registry.metrics();
      response.writeHead(200, { 'content-type': registry.contentType }).end(text);
    } catch {
      response.writeHead(500).end();
    }
  });
  // Only the gateway itself keeps the process alive.
  server.listen({ host, port }).unref();
  await once(server, 'listening');
  return {
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
