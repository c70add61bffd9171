import { describe, expect, test } from 'vitest';
import { createCredential } from '../../src/credentials/credential.ts';
import { type AppFields, restApi } from '../support/both-apis.ts';
import { useGateway, useTenant } from '../support/gateway.ts';
import {
  createApp,
  credentialParts,
  expiredToken,
  mutate,
  projectTokenOf,
  signIn,
  tokenNameOf,
  ulidOf,
  withOtherSecret,
} from '../support/requests.ts';
import { eventsOf, rowsOf } from '../support/rows.ts';
import { paw } from '../support/run-command.ts';

const gateway = useGateway();
const tenant = useTenant(gateway);
const api = restApi(() => gateway.url);

describe('a revocation', () => {
  const revoke = (id: string) => mutate(gateway.url, tenant.token, 'revokeToken', { id }, 'revokedTokenId');

  // `ended-token.test.ts` shows that the token ends on every instance.
  test('can name a token by its ULID alone, and is recorded with the app of a project token', async () => {
    const app = await createApp(api, tenant.token);
    const name = tokenNameOf(await projectTokenOf(api, tenant.token, app));
    const { data } = await revoke(ulidOf(name).toLowerCase());
    expect(data).toEqual({ revokeToken: { revokedTokenId: name } });
    const events = await eventsOf(gateway.database, tenant.account);
    const credential = credentialParts(tenant.token).id;
    const act = { action: 'token.revoke', resource: app.name, token: ulidOf(name), credential };
    expect(events).toContainEqual(expect.objectContaining(act));
    expect((await revoke(name)).errors).toMatchObject([
      { extensions: { code: 'NOT_FOUND', reason: 'RESOURCE_NOT_FOUND' } },
    ]);
  });
});

test.each<[string, (app: AppFields) => string | Promise<string>]>([
  ['text that is not a token', () => 'nonsense'],
  [
    'a token that was never issued',
    () => createCredential('acct', gateway.operator.newId(), gateway.operator.newId()),
  ],
  ["an app's private key", ({ privateKey }) => privateKey],
  // The commands have the real clock.
  ['an expired token', () => expiredToken({ operator: { ...gateway.operator, clock: Date.now } }, tenant)],
  ['a live token with another secret', () => withOtherSecret(tenant.token)],
])('paw token revoke fails for %s with status 1 and one line, and does not repeat it', async (_, make) => {
  const app = await createApp(api, tenant.token);
  await signIn(api, tenant.token, app);
  const token = await make(app);
  const tokens = async () => (await rowsOf(gateway.database, 'token', tenant.account)).map(({ id }) => id);
  const before = await tokens();
  const settings = { DATABASE_URL: gateway.databaseUrl };
  const { status, stdout, stderr } = await paw(['token', 'revoke'], settings, token);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(/^paw: [^\n]+\n$/);
  expect(stderr).not.toContain(token);
  expect(await tokens()).toEqual(before);
});
