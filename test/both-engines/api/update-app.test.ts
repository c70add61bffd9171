import { expect, test } from 'vitest';
import {
  createApp,
  graphqlBody,
  inLowerCase,
  keyOf,
  projectTokenOf,
  reasonOf,
  tokenStatus,
} from '../../support/actors.ts';
import { graphqlApi } from '../../support/apis.ts';
import { useGateway, useTenant } from '../../support/gateway.ts';

const gateway = useGateway();
const tenant = useTenant(gateway);

const api = graphqlApi(() => gateway.url);

const UPDATE = `mutation ($input: UpdateAppInput!) {
  updateApp(input: $input) { app { name title privateKey active } clientMutationId }
}`;

async function update(input: object) {
  const { data, errors } = await graphqlBody(gateway.url, tenant.token, UPDATE, { input });
  return errors ? errors[0].extensions : data.updateApp;
}

test('changes the given fields alone, and does not return the private key', async () => {
  const app = await createApp(api, tenant.token);
  const shown = { ...app, privateKey: '' };
  const name = inLowerCase(app.name);
  const renamed = { ...shown, title: 'Till' };
  expect(await update({ name, title: 'Till', clientMutationId: 'mine' })).toEqual({
    app: renamed,
    clientMutationId: 'mine',
  });
  expect(await update({ name, active: false })).toMatchObject({ app: { ...renamed, active: false } });
  expect(await update({ name })).toEqual({ app: { ...renamed, active: false }, clientMutationId: null });
  expect(await update({ name, active: true })).toMatchObject({ app: renamed });
  expect(await reasonOf(api.signIn(tenant.token, keyOf(app)))).toBe('ok');
});

// `ended-token.test.ts` shows that the tokens of the app end on every instance.
test('a deactivated app loses its tokens permanently, and can sign in again when it is active', async () => {
  const app = await createApp(api, tenant.token);
  const token = await projectTokenOf(api, tenant.token, app);
  const activate = (active: boolean) => update({ name: app.name, title: 'Till', active });
  const signIn = () => reasonOf(api.signIn(tenant.token, keyOf(app)));
  await activate(true);
  expect(await tokenStatus(api, token)).toBe('ok');
  await activate(false);
  expect(await signIn()).toBe('APP_INACTIVE');
  await activate(true);
  expect([await tokenStatus(api, token), await signIn()]).toEqual(['TOKEN_INVALID', 'ok']);
});

test('invalid fields are refused by name, and change nothing', async () => {
  const app = await createApp(api, tenant.token);
  const { name } = app;
  for (const [field, input] of [
    ['title', { title: '', active: false }],
    ['active', { title: 'Till', active: null }],
    ['title', { title: null, active: false }],
    ['name', { name: 'apps/x', title: 'Till' }],
    ['clientMutationId', { title: 'Till', clientMutationId: 'x'.repeat(2001) }],
    ['privateKey', { title: 'Till', privateKey: 'mine' }],
  ] as const) {
    expect((await update({ name, ...input })).fieldViolations).toMatchObject([{ field }]);
  }
  expect(await update({ name })).toMatchObject({ app: { ...app, privateKey: '' } });
});
