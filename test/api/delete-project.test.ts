import { expect, test } from 'vitest';
import { graphqlApi, mutationDocument, postGraphql } from '../support/both-apis.ts';
import { textOf } from '../support/engine.ts';
import { seedTenant, useGateway } from '../support/gateway.ts';
import { createApp, graphqlBody, mutate, payloadOf, resultOf } from '../support/requests.ts';

// Which token may delete which project is tested with the other operations, in `permissions.test.ts`.

const gateway = useGateway();
const api = graphqlApi(() => gateway.url);

test('a project is deleted once it has no apps, no wallets and no valid tokens', async () => {
  const { token, projects, wallet } = await seedTenant(gateway, { projects: 3, wallets: 1 });
  const [first = '', name = '', other = ''] = projects;
  const remove = (project: string, fields: object = {}) =>
    payloadOf(gateway.url, token, 'deleteProject', { name: project, ...fields }, 'deletedProjectId');
  const change = (mutation: string, input: object) => mutate(gateway.url, token, mutation, input);

  await resultOf(api.updateWallet(token, wallet, { project: name }));
  await change('archiveWallet', { name: wallet });
  const app = await createApp(api, token, { project: other });
  const before = await textOf(gateway.database);
  // The default project, one with an archived wallet, and one with an app.
  for (const project of [first, name, other]) expect((await remove(project)).reason).toBe('PROJECT_IN_USE');
  expect(await textOf(gateway.database)).toBe(before);

  const headers = { 'idempotency-key': 'deletion' };
  const keyed = { input: { name } };
  const { text } = await postGraphql(gateway.url, token, mutationDocument('deleteProject'), keyed, headers);
  expect(JSON.parse(text).errors[0].extensions).toMatchObject({ code: 'FAILED_PRECONDITION' });

  await change('unarchiveWallet', { name: wallet });
  await resultOf(api.updateWallet(token, wallet, { project: first }));
  const restricted = await payloadOf(
    gateway.url,
    token,
    'createToken',
    { title: 'T', project: name },
    'token { id }',
  );
  expect((await remove(name)).reason).toBe('PROJECT_IN_USE');
  await change('revokeToken', { id: restricted.token.id });
  expect((await remove(name, { ifMatch: 'unknown' })).reason).toBe('ETAG_MISMATCH');
  const query = 'query ($id: ID!) { node(id: $id) { ... on Project { etag } } projects { totalCount } }';
  const read = async (id: string) => (await graphqlBody(gateway.url, token, query, { id })).data;
  const { etag: ifMatch } = (await read(name)).node;
  expect(await remove(name, { ifMatch })).toEqual({ deletedProjectId: name });
  expect(await read(name)).toEqual({ node: null, projects: { totalCount: 2 } });
  expect((await remove(name)).reason).toBe('RESOURCE_NOT_FOUND');

  await change('deleteApp', { name: app.name });
  expect(await remove(other)).toEqual({ deletedProjectId: other });
});
