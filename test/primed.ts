import { afterAll, beforeAll, expect } from 'vitest';
import { answeredFrom } from './answered-from.ts';
import { primers } from './gateway.ts';

// Set up for tests that are to meet the gateway when it has answered their operations
// before, and so answers them by what it has compiled. Each request for an operation is
// sent first by somebody who may change nothing and sees none of what the test does.

const answers = answeredFrom();
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
});

afterAll(() => {
  globalThis.fetch = send;
  expect([...answers.values()], 'what answered').toContain('compiled operation');
});
