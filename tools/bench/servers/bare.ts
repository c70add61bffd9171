import { readFileSync } from 'node:fs';
import { createServer, type OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ROW_HEADER } from '../load.ts';

// The least that a response costs on this platform: Node's own HTTP server, which reads the body of a request, and sends a
// response of the gateway that was recorded before.

export type RecordedResponse = { readonly headers: OutgoingHttpHeaders; readonly body: string };

// By the workload of the request.
const recorded: Readonly<Record<string, RecordedResponse>> = JSON.parse(
  readFileSync(process.env['RESPONSES'] ?? '', 'utf8'),
);
const server = createServer((request, response) => {
  const { headers, body } = recorded[String(request.headers[ROW_HEADER])] ?? { headers: {}, body: '' };
  request.resume().on('end', () => response.writeHead(200, headers).end(body));
});
server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));
});
