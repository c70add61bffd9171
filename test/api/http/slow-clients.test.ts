import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { createHttpApp } from '../../../src/http/server/http-app.ts';

// Larger than what the system keeps for a connection.
const LARGE = 'x'.repeat(12_000_000);

const GET_LARGE = 'GET /large HTTP/1.1\r\nHost: x\r\n\r\n';

test('a connection whose client reads nothing is closed after the timeout', async () => {
  const { open, connections, served, endTimeouts } = await start();
  const silent = await open();
  silent.write(GET_LARGE);
  await expect.poll(served).toBe(1);
  const closed = () => {
    endTimeouts();
    return connections();
  };
  await expect.poll(closed).toBe(0);
});

test('a client that reads slowly receives the complete response', async () => {
  const body = LARGE.repeat(4);
  const { open, endTimeouts } = await start(undefined, body);
  const slow = await open();
  slow.write(GET_LARGE.replace('x', 'x\r\nConnection: close'));
  let received = 0;
  let timeouts = 0;
  for await (const chunk of slow) {
    received += chunk.length;
    // In each timeout, the client reads more than the system keeps, so that the server has sent something.
    if (received < (timeouts + 1) * LARGE.length) continue;
    timeouts += 1;
    endTimeouts();
  }
  expect(timeouts).toBe(4);
  expect(received).toBeGreaterThan(body.length);
});

test('a connection has one unsent response, also if it has sent many requests', async () => {
  const { open, served } = await start();
  const silent = await open();
  silent.write(GET_LARGE.repeat(50));
  await expect.poll(served).toBe(1);
  // A request on another connection is processed completely meanwhile.
  const other = await open();
  other.write(GET_LARGE.replace('x', 'x\r\nConnection: close'));
  expect((await text(other)).length).toBeGreaterThan(LARGE.length);
  expect(served()).toBe(2);
});

test('a request that is processed for longer than the timeout is answered', async () => {
  const { open, process, connections } = await start(500);
  const patient = await open();
  patient.write('POST /slow HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
  // Its timeout ends before that of a connection that was opened later.
  await open();
  await expect.poll(connections).toBe(1);
  process();
  expect(await text(patient)).toMatch(/^HTTP\/1\.1 200 OK/);
});

/** Starts an HTTP server with a path that returns a large response, and one that waits for `process`. */
async function start(connectionTimeoutMs?: number, body: string = LARGE) {
  const { app, stop } = createHttpApp({ debug: () => {} }, { connectionTimeoutMs });
  let served = 0;
  app.get('/large', async () => {
    served += 1;
    return body;
  });
  const processed = Promise.withResolvers<string>();
  app.post('/slow', () => processed.promise);
  const accepted: Socket[] = [];
  app.server.on('connection', (connection) => accepted.push(connection));
  await app.listen({ port: 0, host: '127.0.0.1' });
  const sockets: Socket[] = [];
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await stop(0);
  });
  return {
    served: () => served,
    process: () => processed.resolve('done'),
    /** Calls what Node calls at the end of the timeout of each connection. */
    endTimeouts() {
      for (const connection of accepted) (connection as Socket & { _onTimeout(): void })._onTimeout();
    },
    connections: () =>
      new Promise<number>((resolve) => app.server.getConnections((_error, count) => resolve(count))),
    async open(): Promise<Socket> {
      const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
      sockets.push(socket);
      socket.on('error', () => {});
      await once(socket, 'connect');
      return socket;
    },
  };
}
