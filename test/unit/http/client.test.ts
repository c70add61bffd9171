import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { clientAddress } from '../../../src/http/request/request-client.ts';

const socket = { remoteAddress: '10.0.0.9' } as Socket;

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('requests from %s are counted for %s', (ip, address) => {
  expect(clientAddress({ ip, socket })).toBe(address);
});

test.each(['nonsense', '192.0.2.1:5000', '10.0.1', ''])(
  'the forwarded text %j is replaced by the address of the proxy',
  (ip) => {
    expect(clientAddress({ ip, socket })).toBe('10.0.0.9');
  },
);
