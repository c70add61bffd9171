import { expect, test } from 'vitest';
import {
  authorize,
  createApp,
  graphqlBody,
  keyOf,
  MISSING_APP,
  projectTokenOf,
  reasonOf,
  tokenStatus,
} from '../../support/actors.ts';
import { bothApis, restApi } from '../../support/apis.ts';
import { seedTenant, useGateway } from '../../support/gateway.ts';

const DELETE = `mutation ($input: DeleteAppInput!) {
  deleteApp(input: $input) { deletedAppId clientMutationId }
}`;

const gateway = useGateway();
/** Another instance on the same database. */
const other = useGateway({}, gateway);
const api = restApi(() => gateway.url);

test('the tokens and the keys of an app that is deleted end at once, on every instance', async () => {
  const { token, projects } = await seedTenant(gateway);
  const [app, sibling] = [await createApp(api, token), await createApp(api, token)];
  const tokens = [await projectTokenOf(api, token, app), await projectTokenOf(api, token, app)];
  const siblingToken = await projectTokenOf(api, token, sibling);
  const everywhere = [...bothApis(() => gateway.url), ...bothApis(() => other.url)];
  for (const each of everywhere) expect(await tokenStatus(each, tokens[0] ?? '')).toBe('ok');

  const input = { name: app.name, clientMutationId: 'a' };
  const { data } = await graphqlBody(gateway.url, token, DELETE, { input });
  expect(data.deleteApp).toEqual({ deletedAppId: app.name, clientMutationId: 'a' });

  for (const each of everywhere) {
    for (const ended of tokens) expect(await tokenStatus(each, ended)).toBe('TOKEN_INVALID');
    expect(await tokenStatus(each, siblingToken)).toBe('ok');
    expect(await reasonOf(each.signIn(token, keyOf(app)))).toBe('INVALID_CREDENTIALS');
  }
  expect((await authorize(other, app)).status).toBe(401);
  const document = `query ($ids: [ID!]!, $project: ID!) {
    nodes(ids: $ids) { id } node(id: $project) { ... on Project { apps { totalCount nodes { id } } } }
  }`;
  const variables = { ids: [app.name, sibling.name], project: projects[0] };
  const { data: left } = await graphqlBody(other.url, token, document, variables);
  expect(left.nodes).toEqual([null, { id: sibling.name }]);
  expect(left.node.apps).toEqual({ totalCount: 1, nodes: [{ id: sibling.name }] });
});

test('an app that does not exist, or no longer, is not deleted', async () => {
  const { token } = await seedTenant(gateway);
  const { name } = await createApp(api, token);
  await graphqlBody(gateway.url, token, DELETE, { input: { name } });
  for (const each of [name, MISSING_APP]) {
    const { errors } = await graphqlBody(gateway.url, token, DELETE, { input: { name: each } });
    expect(errors[0].extensions.reason).toBe('RESOURCE_NOT_FOUND');
  }
});
