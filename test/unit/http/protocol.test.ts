import { expect, test } from 'vitest';
import { statusCodeOf } from '../../../src/http/http-error.ts';
import { hostError, normalizedTarget, withoutPorts } from '../../../src/http/protocol.ts';

test.each([
  ['/project/projects?pageSize=1', '/project/projects?pageSize=1'],
  ['/auth/accounts%3AsigninIdentity', '/auth/accounts:signinIdentity'],
  ['/auth/accounts%3asigninIdentity?a=%3A', '/auth/accounts:signinIdentity?a=%3A'],
  ['/project/projects?pageToken=%3A', '/project/projects?pageToken=%3A'],
  ['/wallet/wallets%2F1', '/wallet/wallets%2F1'],
  ['http://x/healthz', '/healthz'],
  ['https://user@x:443/auth/accounts%3AsigninIdentity', '/auth/accounts:signinIdentity'],
  ['HTTP://x', '/'],
  ['http://x?a=1', '/?a=1'],
  ['//x/healthz', '//x/healthz'],
  ['*', '*'],
  ['ftp://x/healthz', 'ftp://x/healthz'],
])('the target %s has the path and query %s', (url, expected) => {
  expect(normalizedTarget({ url })).toBe(expected);
});

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

test.each([
  ['1.2.3.4:5678', '1.2.3.4'],
  ['1.2.3.4, 10.0.0.1:80', '1.2.3.4, 10.0.0.1'],
  ['[::1]:5678', '::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['::ffff:1.2.3.4:5678,[fe80::1]:9', '::ffff:1.2.3.4,fe80::1'],
  ['2001:db8::1:5678', '2001:db8::1:5678'],
  ['nonsense:1', 'nonsense:1'],
])('the addresses %s without their ports are %s', (forwardedFor, addresses) => {
  expect(withoutPorts(forwardedFor)).toBe(addresses);
});
