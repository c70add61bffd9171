import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** Starts a server of a test on a free port. Returns its URL, and a function that stops it. */
export async function startHttpServer(listener?: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, stop };
}

/** Reads a request, and returns a function that sends it to a URL, and returns the response. */
export async function forwarder(request: IncomingMessage) {
  const { host, connection, 'content-length': _, ...headers } = request.headers as Record<string, string>;
  const body = await text(request);
  return async (url: string) => {
    const response = await fetch(url, { method: request.method ?? '', headers, ...(body && { body }) });
    // The body is decoded, and sent on another connection.
    const kept = [...response.headers].filter(
      ([name]) => !/^(content-(length|encoding)|connection|transfer)/.test(name),
    );
    const bytes = Buffer.from(await response.arrayBuffer());
    return { status: response.status, headers: Object.fromEntries(kept), body: bytes };
  };
}
