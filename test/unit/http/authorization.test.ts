import { expect, test } from 'vitest';
import { bearerToken } from '../../../src/http/authorization.ts';

test.each([
  ['Bearer paw', 'paw'],
  ['bearer paw', 'paw'],
  ['BEARER paw', 'paw'],
  ['Bearer   paw', 'paw'],
  ['Bearer paw paw', 'paw paw'],
  ['Bearer paw, Bearer paw', 'paw, Bearer paw'],
])('the header "%s" has the token "%s"', (header, token) => {
  expect(bearerToken(header)).toBe(token);
});

test.each([
  undefined,
  '',
  'Bearer',
  'Bearer ',
  'Bearer  ',
  'Bearers paw',
  'Basic cGF3',
  'paw',
  ' Bearer paw',
])('the header %j has no token', (header) => {
  expect(() => bearerToken(header)).toThrow(expect.objectContaining({ reason: 'TOKEN_MISSING' }));
});
