import { expect, test } from 'vitest';
import { clientRequestId, requestIds } from '../../../src/http/request/request-id.ts';

test('the ids of requests are unique within a process and between processes', () => {
  const processes = [requestIds(), requestIds(), requestIds()];
  const ids = processes.flatMap((newId) => Array.from({ length: 100 }, newId));
  expect(new Set(ids).size).toBe(300);
  expect(ids[0]).toMatch(/^[0-9a-z]{26}-1$/);
});

test.each(['a', 'req-1', 'Trace:0af7651916cd43dd8448eb211c80319c', '2024_01.02', 'x'.repeat(100)])(
  "the client's id %s is valid",
  (id) => {
    expect(clientRequestId({ 'x-request-id': id })).toBe(id);
  },
);

test.each([
  undefined,
  '',
  'x'.repeat(101),
  'a b',
  'a,b',
  'a"b',
  '<b>',
  '../a',
  '{"a":1}',
  'a%0a',
  'a\n',
  'é',
])('the id %j, which is not safe in a log, is ignored', (id) => {
  expect(clientRequestId({ 'x-request-id': id })).toBeUndefined();
});
