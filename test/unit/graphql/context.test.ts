import { expect, test, vi } from 'vitest';
import type { DataLayer } from '../../../src/data/data-layer.ts';
import { Context } from '../../../src/graphql/context.ts';
import type { Principal } from '../../../src/model/caller.ts';
import { ApiError } from '../../../src/model/errors.ts';

const LISTS = ['listProjects', 'findWallets', 'findApps', 'listEvents', 'listTokens'] as const;

const PRINCIPAL = { accountId: 'A' } as unknown as Principal;

/** Returns the context of a request, whose data layer has one list. */
function contextWith(list: (typeof LISTS)[number], read: () => Promise<object>): Context {
  const reads = { [list]: read };
  const data = { forRequest: () => reads } as unknown as DataLayer;
  const request = {
    readIdempotencyHeaders: () => undefined,
    countMutations: async () => expect.unreachable(),
    countIntrospection: () => Promise.reject(new ApiError('INTERNAL')),
    claim: () => undefined,
  };
  return new Context(data, { requestId: 'r' } as Context['client'], PRINCIPAL, request);
}

test.each(LISTS)('%s is read once for equal arguments, and again for any other argument', async (list) => {
  const read = vi.fn(async () => ({ items: [] }));
  const context = contextWith(list, read);
  const pages = [
    {},
    { first: null, since: undefined },
    { since: '2000' },
    { since: '2100' },
    { since: '2100', first: 1 },
    { first: 1, since: '2100' },
  ];
  for (const input of pages) await context.read(list, input);
  expect(read).toHaveBeenCalledTimes(4);
});
