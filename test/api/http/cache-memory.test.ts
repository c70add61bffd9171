import { hash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { send } from '../../support/both-apis.ts';
import { useGateway, useTenant } from '../../support/gateway.ts';
import { heapGrowth } from '../../support/heap.ts';

// Nearly the longest name for which a document and the parameter `operationName` fit into a body.
const LENGTH = 50_000;

const padding = (n: number) => `_${n}_`.padEnd(LENGTH, 'x');

/** The body of a request with another name, which selects `selection`. */
const named = (n: number, selection: string) => ({
  query: `query ${padding(n)}{${selection}}`,
  operationName: padding(n),
});

const gateway = useGateway({ PAW_TRUSTED_PROXIES: '127.0.0.1' });
const tenant = useTenant(gateway);

/** Sends requests with the numbers 1 to `count`. Returns the megabytes that they leave on the heap. */
function growth(count: number, body: (n: number) => object, token?: string): Promise<number> {
  // Without a token, the limit of introspection is that of an address.
  const headers = (n: number) => ({ 'x-forwarded-for': `10.0.${n >> 8}.${n & 255}` });
  const ask = (n: number) => send(`${gateway.url}/graphql`, 'POST', token, body(n), headers(n));
  return heapGrowth(async () => {
    for (let n = 1; n <= count; n += 1) {
      const { text } = await ask(n);
      if (token === tenant.token) expect(text).not.toContain('errors');
    }
  });
}

function persisted(query: string) {
  const persistedQuery = { version: 1, sha256Hash: hash('sha256', query) };
  return { query, extensions: { persistedQuery } };
}

describe('requests without a valid token leave nothing in a cache:', () => {
  test.each<[string, (n: number) => object]>([
    ['names of operations', (n) => named(n, '__typename')],
    ['other queries', (n) => named(n, 'viewer{name}')],
    ['persisted queries', (n) => persisted(`{${padding(n)}:__typename}`)],
  ])('%s', async (_, body) => {
    await growth(20, body);
    // They are 6 MB.
    expect(await growth(60, body)).toBeLessThan(2);
    expect(await growth(60, body, `${tenant.token}0`)).toBeLessThan(2);
  });
});

const aliases = Array.from({ length: 480 }, (_, n) => `_${n.toString(36)}:level`).join(' ');

// Each growth is that of all caches that the requests use, with the parsed documents, which have 10 MB.
describe('the caches of a token stay within their limits, whatever it sends:', () => {
  test.each<[string, number, (n: number) => object]>([
    ['names of operations', 250, (n) => named(n, 'viewer{level}')],
    ['persisted queries', 250, (n) => persisted(`{viewer{${padding(n)}:level}}`)],
    ['dense documents', 100, (n) => ({ query: `{viewer{_${n}:level ${aliases}}}` })],
    ['comments', 40, (n) => ({ query: `{viewer{_${n}:level}}${'#\n'.repeat(LENGTH / 2)}` })],
  ])('%s', async (_, count, body) => {
    expect(await growth(count, body, tenant.token)).toBeLessThan(16);
  });
});
