import { expect, test, vi } from 'vitest';
import type { Call } from '../../../src/data/data-layer.ts';
import { GraphqlContext } from '../../../src/graphql/context.ts';

function newContext(): GraphqlContext {
  const request = {
    readIdempotencyHeaders: () => undefined,
    countMutations: () => expect.unreachable(),
    countIntrospection: () => expect.unreachable(),
    reserve: () => undefined,
  };
  return new GraphqlContext({} as Call, { requestId: 'r' } as GraphqlContext['client'], request);
}

test('a list is read once for equal arguments, and again for any other argument', async () => {
  const list = vi.fn(async (_call: Call, _input: object) => ({ items: [] }));
  const read = Object.assign(list, { rules: { changes: false } as const });
  const context = newContext();
  const pages = [
    {},
    { first: null, since: undefined },
    { since: '2000' },
    { since: '2100' },
    { since: '2100', first: 1 },
    { first: 1, since: '2100' },
  ];
  for (const input of pages) await context.read(read, input);
  expect(read).toHaveBeenCalledTimes(4);
});
