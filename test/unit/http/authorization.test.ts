import { expect, test } from 'vitest';
import type { DataLayer } from '../../../src/data/data-layer.ts';
import { bearerAuthenticator } from '../../../src/http/authorization.ts';
import { parseUlid, type Ulid } from '../../../src/model/resource-name.ts';

const id = parseUlid('01ARZ3NDEKTSV4RRFFQ69G5FAV') as Ulid;

/** Returns the token that is passed to the data layer. */
async function tokenIn(authorization: string | undefined): Promise<string | undefined> {
  let token: string | undefined;
  const data: Pick<DataLayer, 'authenticate'> = {
    async authenticate(presented) {
      token = presented;
      return { level: 'account', accountId: id, defaultProjectId: id };
    },
  };
  await bearerAuthenticator(data as DataLayer)(authorization);
  return token;
}

test.each([
  ['Bearer paw', 'paw'],
  ['bearer paw', 'paw'],
  ['BEARER paw', 'paw'],
  ['Bearer   paw', 'paw'],
  ['Bearer paw paw', 'paw paw'],
  ['Bearer paw, Bearer paw', 'paw, Bearer paw'],
])('the header "%s" has the token "%s"', async (header, token) => {
  expect(await tokenIn(header)).toBe(token);
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
])('the header %j has no token', async (header) => {
  await expect(tokenIn(header)).rejects.toMatchObject({ reason: 'TOKEN_MISSING' });
});
