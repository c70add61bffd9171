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

test('a deactivated app loses its project tokens permanently, and can sign in again when it is active', async () => {
  const [app, other] = [await createApp(api, tenant.token), await createApp(api, tenant.token)];
  const token = await projectTokenOf(api, tenant.token, app);
  const others = await projectTokenOf(api, tenant.token, other);
  await update({ name: app.name, title: 'Till', active: true });
  expect(await tokenStatus(api, token)).toBe('ok');
  await update({ name: app.name, active: false });
  expect(await tokenStatus(api, token)).toBe('TOKEN_INVALID');
  expect(await tokenStatus(api, others)).toBe('ok');
  expect(await reasonOf(api.signIn(tenant.token, keyOf(app)))).toBe('APP_INACTIVE');
  await update({ name: app.name, active: true });
  expect(await tokenStatus(api, token)).toBe('TOKEN_INVALID');
  expect(await reasonOf(api.signIn(tenant.token, keyOf(app)))).toBe('ok');
});

test('invalid fields are refused by name, and change nothing', async () => {
  const app = await createApp(api, tenant.token);
  const { name } = app;
  const fieldsOf = async (input: object) =>
    (await update(input)).fieldViolations.map(({ field }: { field: string }) => field);
  expect(await fieldsOf({ name, title: '', active: false })).toEqual(['title']);
  expect(await fieldsOf({ name, title: 'Till', active: null })).toEqual(['active']);
  expect(await fieldsOf({ name, title: null, active: false })).toEqual(['title']);
  expect(await fieldsOf({ name: 'apps/x', title: 'Till' })).toEqual(['name']);
  expect(await fieldsOf({ name, title: 'Till', clientMutationId: 'x'.repeat(2001) })).toEqual([
    'clientMutationId',
  ]);
  expect(await fieldsOf({ name, title: 'Till', privateKey: 'mine' })).toEqual(['privateKey']);
  expect(await update({ name })).toMatchObject({ app: { ...app, privateKey: '' } });
});
