import { once } from 'node:events';
import { createServer } from 'node:http';
import { Registry } from 'prom-client';

/** A listening server for metrics. */
export type MetricsServer = { close(): Promise<void> };

/**
 * Serves metrics at `/metrics` on a port of its own, without authentication.
 *
 * @param port the TCP port
 * @param read returns the metrics in the text format of Prometheus
 */
export async function startMetricsServer(
  host: string,
  port: number,
  read: () => Promise<string>,
): Promise<MetricsServer> {
  const server = createServer(async ({ method, url }, response) => {
    if (url !== '/metrics' || (method !== 'GET' && method !== 'HEAD')) {
      response.writeHead(404).end();
      return;
    }
    try {
      const text = await read();
      response.writeHead(200, { 'content-type': Registry.PROMETHEUS_CONTENT_TYPE }).end(text);
    } catch {
      // A worker that starts or stops did not respond in time.
      response.writeHead(503).end();
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
