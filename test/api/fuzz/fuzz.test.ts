// @module-tag night/fuzz

import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { readResponse, send } from '../../support/both-apis.ts';
import { seedTenant, useGateway } from '../../support/gateway.ts';
import { cursorsOf, MISSING_APP, projectToken } from '../../support/requests.ts';
import { SEED } from '../../support/seed.ts';
import { type FuzzRequest, graphqlRequests, type Known, rawRequests, restRequests } from './requests.ts';

// Whatever a client sends, it gets an answer below 500 with a request id, and JSON from the two APIs.

const REQUESTS = 5000;

const agent = new Agent({ keepAlive: true, maxSockets: 4 });

const gateway = useGateway();
let known: Known;

beforeAll(async () => {
  const tenant = await seedTenant(gateway, { projects: 3, wallets: 2 });
  known = {
    tokens: [tenant.token, await projectToken(gateway, tenant), 'paw_app_unknown'],
    names: [...tenant.projects, MISSING_APP, 'wallets/x'],
    wallets: tenant.wallets,
    cursor: (await cursorsOf(gateway, tenant))[0] ?? '',
  };
  return () => {
    agent.destroy();
    // No unexpected error was masked.
    expect(gateway.log()).not.toContain('"level":50');
  };
});

/** Expects that a check passes for a share of the random requests. */
function expectAll<T>(share: number, arbitrary: fc.Arbitrary<T>, check: (request: T) => Promise<void>) {
  return fc.assert(fc.asyncProperty(arbitrary, check), { seed: SEED, numRuns: REQUESTS * share });
}

test('random REST requests', () => expectAll(0.4, restRequests(known), expectAnswer), 3_600_000);

test('random GraphQL requests', () => expectAll(0.5, graphqlRequests(known), expectAnswer), 3_600_000);

test('random bytes', async () => {
  await expectAll(0.1, rawRequests(known), expectRawAnswer);
  expect((await send(`${gateway.url}/healthz`, 'GET')).status).toBe(200);
}, 3_600_000);

async function expectAnswer({ method, path, headers, body }: FuzzRequest): Promise<void> {
  // Without it, Node sends the body of some methods as if it were the next request.
  const length = { 'content-length': Buffer.byteLength(body ?? '') };
  const sent = request(gateway.url + path, { agent, method, headers: { ...headers, ...length } });
  const [incoming] = await once(sent.end(body), 'response');
  const { status, headers: answered, text } = await readResponse(incoming);
  expect(status).toBeLessThan(500);
  expect(answered.get('x-request-id')).toBeTruthy();
  if (answered.get('content-type')?.includes('json') && method !== 'HEAD') JSON.parse(text);
  else if (status >= 400) expect(method).toBe('HEAD');
}

async function expectRawAnswer(bytes: Buffer): Promise<void> {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.end(bytes);
  const answer = (await buffer(socket).catch(() => Buffer.alloc(0))).toString('latin1');
  for (const [, status] of answer.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)) {
    expect(Number(status)).toBeLessThan(500);
  }
  if (answer !== '') expect(answer).toMatch(/^HTTP\/1\.1 (100|[\s\S]*\r\nx-request-id: )/i);
}
