import { expect, test } from 'vitest';
import { bothApis, mutationDocument, postGraphql, send } from '../support/both-apis.ts';
import { textOf } from '../support/engine.ts';
import { seedTenant, type Tenant, useGateway } from '../support/gateway.ts';
import { graphqlBody, mutate, payloadOf } from '../support/requests.ts';
import { setRow } from '../support/rows.ts';

const SELECTION =
  'clientMutationId project { name title description imageCoverUrl imageCoverCid createTime }';

const gateway = useGateway();

/** Creates a project, and returns the payload, or the extensions of the error. */
function create({ token }: Tenant, input: object) {
  return payloadOf(gateway.url, token, 'createProject', input, SELECTION);
}

test('a project is created with its cover, listed by both APIs, counted, and takes apps', async () => {
  const tenant = await seedTenant(gateway);
  const { token } = tenant;
  const title = '🦊'.repeat(200);
  const input = { title, description: '', clientMutationId: 'a' };
  const { clientMutationId, project } = await create(tenant, input);
  expect(clientMutationId).toBe('a');
  const { createTime, ...fields } = project;
  expect(createTime).toBe(new Date(gateway.clock()).toISOString());
  expect(fields).toMatchObject({ title, description: '' });
  const cover = await send(gateway.url + new URL(project.imageCoverUrl).pathname, 'GET');
  expect(cover.text).toMatch(/^<svg /);
  for (const api of bothApis(() => gateway.url)) {
    expect((await api.listProjects(token)).value?.projects).toContainEqual(fields);
  }
  const { data: counted } = await graphqlBody(gateway.url, token, '{ projects { totalCount } }');
  expect(counted.projects.totalCount).toBe(2);
  const app = { title: 'Till', active: true, project: project.name };
  const { data } = await mutate(gateway.url, token, 'createApp', app, 'app { project { name } }');
  expect(data.createApp.app.project).toEqual({ name: project.name });
});

test('an account has at most 100,000 projects, also of concurrent creations', async () => {
  const tenant = await seedTenant(gateway);
  await setRow(gateway.database, tenant.account, { project_count: 99_999 });
  const creations = Array.from({ length: 6 }, (_, n) => create(tenant, { title: `No. ${n}` }));
  expect((await Promise.all(creations)).filter(({ project }) => project)).toHaveLength(1);
  const before = await textOf(gateway.database);
  const headers = { 'idempotency-key': 'full' };
  const variables = { input: { title: 'More' } };
  const document = mutationDocument('createProject');
  const refused = await postGraphql(gateway.url, tenant.token, document, variables, headers);
  expect(JSON.parse(refused.text).errors[0].extensions).toMatchObject({
    code: 'FAILED_PRECONDITION',
    status: 'FAILED_PRECONDITION',
    reason: 'TOO_MANY_PROJECTS',
  });
  expect(refused.headers.has('retry-after')).toBe(false);
  expect(await textOf(gateway.database)).toBe(before);
});
