import { expect, test } from 'vitest';
import { requestIds } from '../../../src/http/request-id.ts';

const idOf = (newId: ReturnType<typeof requestIds>, id?: string) =>
  newId({ headers: id === undefined ? {} : { 'x-request-id': id } });

test.each(['a', 'req-1', 'Trace:0af7651916cd43dd8448eb211c80319c', '2024_01.02', 'x'.repeat(100)])(
  "the client's id %s is used",
  (id) => {
    expect(idOf(requestIds(), id)).toBe(id);
  },
);

test.each(['', 'x'.repeat(101), 'a b', 'a,b', 'a"b', '<b>', '../a', '{"a":1}', 'a%0a', 'a\n', 'é'])(
  'the id %j, which is not safe in a log, is replaced',
  (id) => {
    expect(idOf(requestIds(), id)).toMatch(/^[0-9a-z]{26}-1$/);
  },
);

test('new ids are unique within a process and between processes', () => {
  const processes = [requestIds(), requestIds(), requestIds()];
  const ids = processes.flatMap((newId) => Array.from({ length: 100 }, () => idOf(newId)));
  expect(new Set(ids).size).toBe(300);
});
