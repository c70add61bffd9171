import { expect, test } from 'vitest';
import { bothApis, graphqlApi } from '../support/both-apis.ts';
import { seedTenant, useGateway } from '../support/gateway.ts';
import { authorize, createApp, graphqlBody, keyOf, payloadOf, reasonOf } from '../support/requests.ts';

// `ended-token.test.ts` shows that the tokens of an app end with it on every instance.

const gateway = useGateway();
/** Another instance on the same database. */
const other = useGateway({}, gateway);
const api = graphqlApi(() => gateway.url);

test('an app that is deleted is gone with its key, on every instance, and cannot be deleted again', async () => {
  const { token, projects } = await seedTenant(gateway);
  const [app, sibling] = [await createApp(api, token), await createApp(api, token)];
  const input = { name: app.name, clientMutationId: 'a' };
  const remove = () => payloadOf(gateway.url, token, 'deleteApp', input, 'deletedAppId clientMutationId');
  expect(await remove()).toEqual({ deletedAppId: app.name, clientMutationId: 'a' });
  expect(await remove()).toMatchObject({ reason: 'RESOURCE_NOT_FOUND' });

  for (const each of [...bothApis(() => gateway.url), ...bothApis(() => other.url)]) {
    expect(await reasonOf(each.signIn(token, keyOf(app)))).toBe('INVALID_CREDENTIALS');
  }
  expect((await authorize(other, app)).status).toBe(401);
  const document = `query ($ids: [ID!]!, $project: ID!) {
    nodes(ids: $ids) { id } node(id: $project) { ... on Project { apps { totalCount nodes { id } } } }
  }`;
  const variables = { ids: [app.name, sibling.name], project: projects[0] };
  const { data } = await graphqlBody(other.url, token, document, variables);
  expect(data.nodes).toEqual([null, { id: sibling.name }]);
  expect(data.node.apps).toEqual({ totalCount: 1, nodes: [{ id: sibling.name }] });
});
