// @module-tag night/kills

import { once } from 'node:events';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { beforeAll, expect, test } from 'vitest';
import { seedTenant, type Tenant, useGateway } from '../../support/gateway.ts';
import { startServerProcess } from '../../support/run-command.ts';

/** A request that was sent completely, and got no complete response. */
type Loss = { readonly sentBeforeStop: boolean; readonly error: string };

const CLIENTS = 20;

const ENDED_WELL = { status: 0, stderr: '' };

const APP = '{"title":"App","active":true}';

const gateway = useGateway();
let tenant: Tenant;

beforeAll(async () => {
  tenant = await seedTenant(gateway, { projects: 100 });
});

const head = (method: string, path: string, body = '') =>
  `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${tenant.token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

test.each(['0s', '1s'])(
  'a stop under load answers every request that was sent before it, with a delay of %s',
  async (delay) => {
    const { losses, answered, result } = await stopUnderLoad(delay);
    expect(answered).toBeGreaterThan(CLIENTS);
    // A connection that is opened at the moment in which listening ends is reset.
    expect(losses.filter(({ sentBeforeStop }) => sentBeforeStop)).toEqual([]);
    expect(result).toMatchObject(ENDED_WELL);
  },
);

test.each([
  ['pipelined requests', () => head('POST', '/auth/apps', APP).repeat(60), 60],
  ['large responses', () => head('POST', '/graphql', largeQuery()).repeat(3), 3],
])('%s that were sent before the stop are answered to the last byte', async (_name, bytes, count) => {
  const server = await startServerProcess({ DATABASE_URL: gateway.databaseUrl });
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.pause();
  await once(socket, 'connect');
  await new Promise((resolve) => socket.write(bytes(), resolve));
  const ended = server.stop('SIGTERM');
  await expect.poll(() => isListening(server.url)).toBe(false);
  // Only now the client begins to read.
  const answers = await text(socket);
  expect(answers.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(count);
  const lengths = [...answers.matchAll(/content-length: (\d+)/gi)].map(([, length]) => Number(length));
  const bodies = answers.split(/HTTP\/1\.1 200 OK[\s\S]*?\r\n\r\n/).slice(1);
  expect(bodies.map((body) => Buffer.byteLength(body))).toEqual(lengths);
  expect(await ended).toMatchObject(ENDED_WELL);
});

test('a stop closes the connection of a client that does not complete its request', async () => {
  const server = await startServerProcess({ DATABASE_URL: gateway.databaseUrl });
  const sending = await beginRequest(server.url);
  // Without the deadline of the stop, the client would receive 408 after the 30 s that a request has.
  const rest = text(sending).catch(({ code }) => code);
  expect(await server.stop('SIGTERM')).toMatchObject(ENDED_WELL);
  expect(['', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE']).toContain(await rest);
});

/** Sends a request without its body, and waits until the server waits for the body. */
async function beginRequest(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {});
  socket.write(
    head('POST', '/auth/apps', APP).replace(APP, '').replace('\r\n\r\n', '\r\nExpect: 100-continue\r\n\r\n'),
  );
  expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 100 /);
  return socket;
}

/** Starts a server, stops it under load, and returns the requests that were sent and not answered. */
async function stopUnderLoad(delay: string) {
  const server = await startServerProcess({
    DATABASE_URL: gateway.databaseUrl,
    PAW_STOP_DELAY: delay,
    PAW_POSTGRES_POOL: '4',
  });
  const losses: Loss[] = [];
  let [answered, stoppedAt] = [0, Number.POSITIVE_INFINITY];
  const clients = Array.from({ length: CLIENTS }, async (_, n) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let isOpen = true; isOpen; ) {
      const [method, path, body] =
        n % 2 === 0 ? ['POST', '/auth/apps', APP] : ['GET', '/project/projects?pageSize=100', ''];
      const headers = { authorization: `Bearer ${tenant.token}`, 'content-type': 'application/json' };
      const sent = request(server.url + path, { agent, method, headers });
      let sentAt = Number.POSITIVE_INFINITY;
      sent.once('finish', () => {
        sentAt = performance.now();
      });
      try {
        const response = await responseTo(sent.end(body));
        await text(response);
        expect(response.statusCode).toBe(200);
        answered += 1;
      } catch (error) {
        const { code = String(error) } = error as NodeJS.ErrnoException;
        // Nothing listens any more.
        isOpen = code !== 'ECONNREFUSED';
        if (isOpen) losses.push({ sentBeforeStop: sentAt < stoppedAt, error: code });
      }
    }
    agent.destroy();
  });
  await expect.poll(() => answered).toBeGreaterThan(5 * CLIENTS);
  stoppedAt = performance.now();
  const result = await server.stop('SIGTERM');
  await Promise.all(clients);
  return { losses, answered, result };
}

async function responseTo(sent: ClientRequest): Promise<IncomingMessage> {
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}

/** A query whose response has several megabytes. */
function largeQuery(): string {
  const page = 'projects(first: 100) { nodes { id name title description imageCoverUrl imageCoverCid } }';
  const pages = Array.from({ length: 25 }, (_, n) => `p${n}: ${page}`);
  return JSON.stringify({ query: `{ ${pages.join(' ')} }` });
}

async function isListening(url: string): Promise<boolean> {
  return fetch(`${url}/healthz`).then(
    () => true,
    () => false,
  );
}
