import { expect, test } from 'vitest';
import { statusCodeOf } from '../../../src/http/errors/error-responses.ts';
import { hostError } from '../../../src/http/server/request-target.ts';

const statusOf = (host: string | undefined, httpVersion = '1.1') => {
  const error = hostError({ headers: host === undefined ? {} : { host }, httpVersion });
  return error && statusCodeOf(error);
};

test.each(['', 'x', 'x:', 'x:80', 'a-b.example', '127.0.0.1:1', '[::1]', '[fe80::1]:80', 'a%20b', 'x_y'])(
  'the host "%s" is valid',
  (host) => {
    expect(statusOf(host)).toBeUndefined();
  },
);

test.each(['x, x', 'a b', 'x/y', 'x:y', 'x:1:2', 'a@b', '[::1', '::1', 'x?y', 'x#y', '"x"', 'é'])(
  'the host "%s" is not valid',
  (host) => {
    expect([statusOf(host), statusOf(host, '1.0')]).toEqual([400, 400]);
  },
);

test('a host is required since HTTP/1.1', () => {
  expect([statusOf(undefined), statusOf(undefined, '1.0')]).toEqual([400, undefined]);
});
