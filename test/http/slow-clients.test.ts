import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createHttpApp } from '../../src/http/app.ts';
import { MAX_BODY_BYTES } from '../../src/http/http-error.ts';
import { SLOW_CLIENT_LIMITS, type SlowClientLimits } from '../../src/http/protection/slow-clients.ts';
import { restErrorBody } from '../../src/rest/error-body.ts';

// Larger than what the system keeps for a connection.
const LARGE = 'x'.repeat(12_000_000);

const GET_LARGE = 'GET /large HTTP/1.1\r\nHost: x\r\n\r\n';

const POLL = { timeout: 60_000, interval: 10 };

test('a connection whose client reads nothing is closed after the timeout', async () => {
  const { open, connections } = await start({ stalledAfterMs: 200 });
  const silent = await open();
  silent.write(GET_LARGE);
  expect(await connections()).toBe(1);
  await expect.poll(connections, POLL).toBe(0);
});

test('a client that reads slowly receives the complete response', async () => {
  const stalledAfterMs = 2000;
  const body = LARGE.repeat(4);
  const { open } = await start({ stalledAfterMs }, body);
  // The system notices progress in steps of a few megabytes, of which there are several in each timeout.
  const bytesPerMs = body.length / (2.2 * stalledAfterMs);
  const slow = await open();
  const began = performance.now();
  slow.write(GET_LARGE.replace('x', 'x\r\nConnection: close'));
  let received = 0;
  for await (const chunk of slow) {
    received += chunk.length;
    const ahead = received / bytesPerMs - (performance.now() - began);
    if (ahead > 0) await delay(ahead);
  }
  expect(received).toBeGreaterThan(body.length);
  expect(performance.now() - began).toBeGreaterThan(2 * stalledAfterMs);
});

test('a connection has one unsent response, also if it has sent many requests', async () => {
  const { open, served } = await start({});
  const silent = await open();
  silent.write(GET_LARGE.repeat(50));
  await expect.poll(served, POLL).toBe(1);
  // A request on another connection is processed completely meanwhile.
  await download(await open());
  expect(served()).toBe(2);
});

test('the oldest connections are closed if all unsent responses together are too large', async () => {
  const { open, connections, served } = await start({ maxUnsentBytes: 2.5 * LARGE.length });
  const silent: Socket[] = [];
  for (let n = 1; n <= 4; n += 1) {
    const socket = await open();
    socket.write(GET_LARGE);
    silent.push(socket);
    await expect.poll(served, POLL).toBe(n);
  }
  await expect.poll(connections, POLL).toBe(2);
  const received = await Promise.all(silent.map(download));
  expect(received.map((bytes) => bytes > LARGE.length)).toEqual([false, false, true, true]);
});

test('the oldest bodies that are not complete are given up if all of them together are too large', async () => {
  const { open } = await start({ maxPartialBodyBytes: 10 * MAX_BODY_BYTES });
  const body = JSON.stringify('x'.repeat(MAX_BODY_BYTES - 2));
  const head = 'POST /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n';
  const parked: Socket[] = [];
  for (let n = 0; n < 15; n += 1) {
    const socket = await open();
    const length = n % 2 === 0 ? `Content-Length: ${body.length}` : 'Transfer-Encoding: chunked';
    socket.write(`${head}${length}\r\nExpect: 100-continue\r\n\r\n`);
    // The server has read the headers.
    await once(socket, 'readable');
    expect(String(socket.read())).toMatch(/^HTTP\/1\.1 100 /);
    socket.write(n % 2 === 0 ? body.slice(1) : `${body.length.toString(16)}\r\n${body}\r\n`);
    parked.push(socket);
  }
  const statuses = await Promise.all(
    parked.map(async (socket, n) => {
      // The first five may be closed already.
      if (n >= 5) socket.write(n % 2 === 0 ? '"' : '0\r\n\r\n');
      let answer = '';
      for await (const chunk of socket) answer += String(chunk).slice(0, 20);
      return answer.slice(9, 12);
    }),
  );
  expect(statuses.slice(0, 5)).toEqual(new Array(5).fill('408'));
  // A body that begins with its second byte is not JSON.
  expect(statuses.slice(5)).toEqual(Array.from({ length: 10 }, (_, n) => (n % 2 === 0 ? '200' : '400')));
});

/** Starts an HTTP server with one path, which returns a large response to GET and to POST. */
async function start(limits: Partial<SlowClientLimits>, body: string = LARGE) {
  const settings = { errorBody: restErrorBody, slowClients: { ...SLOW_CLIENT_LIMITS, ...limits } };
  const { app, stop } = createHttpApp({ debug: () => {} }, settings);
  let served = 0;
  app.route({
    method: ['GET', 'POST'],
    url: '/large',
    handler: async () => {
      served += 1;
      return body;
    },
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const sockets: Socket[] = [];
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await stop(0);
  });
  return {
    served: () => served,
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

/** Requests the large response if nothing was requested, and returns the number of bytes received until the end of the connection. */
async function download(socket: Socket): Promise<number> {
  if (socket.bytesWritten === 0) socket.write(GET_LARGE);
  let received = 0;
  socket.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > LARGE.length) socket.destroy();
  });
  await once(socket, 'close');
  return received;
}
