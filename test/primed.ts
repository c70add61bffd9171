import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterAll, beforeAll, expect } from 'vitest';
import { primers } from './gateway.ts';

// Set up for tests that are to meet the gateway when it has answered their operations
// before, and so answers them by what it has compiled. Each request for an operation is
// sent first by somebody who may change nothing and sees none of what the test does.

let compiled = 0;
const count = () => {
  compiled += 1;
};

const send = globalThis.fetch;

async function primeAndSend(...[target, options]: Parameters<typeof fetch>): Promise<Response> {
  const { origin, pathname } = new URL(target instanceof Request ? target.url : target);
  const token = primers.get(origin);
  if (token !== undefined && pathname === '/graphql' && options?.method === 'POST') {
    const headers = new Headers(options.headers);
    headers.set('authorization', `Bearer ${token}`);
    await (await send(target, { ...options, headers })).arrayBuffer();
  }
  return send(target, options);
}

beforeAll(() => {
  globalThis.fetch = primeAndSend;
  subscribe('paw-gateway:answered-compiled', count);
});

afterAll(() => {
  globalThis.fetch = send;
  unsubscribe('paw-gateway:answered-compiled', count);
  expect(compiled, 'requests answered by a compiled operation').toBeGreaterThan(0);
});
