import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { onTestFinished } from 'vitest';

/** A server that is healthy, but closes the connection instead of a response to any other request. */
export async function brokenInstance(): Promise<{ port: number; requests: readonly string[] }> {
  const requests: string[] = [];
  const server = createServer((socket) => {
    let text = '';
    socket.on('error', () => {});
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (!text.includes('\r\n\r\n')) return;
      requests.push(text);
      socket.end(text.includes('/healthz') ? 'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n' : '');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, requests };
}
