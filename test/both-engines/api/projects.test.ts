import { expect, test } from 'vitest';
import { graphqlBody, MISSING_PROJECT, mutate } from '../../support/actors.ts';
import { graphqlApi, postGraphql, restApi, send } from '../../support/apis.ts';
import { textOf } from '../../support/engine.ts';
import { seedTenant, type Tenant, useGateway } from '../../support/gateway.ts';
import { setRow } from '../../support/rows.ts';

const PROJECT = 'name title description imageCoverUrl imageCoverCid createTime';
const CREATE = `mutation ($input: CreateProjectInput!) {
  createProject(input: $input) { clientMutationId project { ${PROJECT} } }
}`;
const UPDATE = `mutation ($input: UpdateProjectInput!) {
  updateProject(input: $input) { clientMutationId project { ${PROJECT} } }
}`;

const gateway = useGateway();

const create = ({ token }: Tenant, input: object) => graphqlBody(gateway.url, token, CREATE, { input });
const update = ({ token }: Tenant, input: object) => graphqlBody(gateway.url, token, UPDATE, { input });

const violationsOf = (body: { errors: { extensions: { fieldViolations: { field: string }[] } }[] }) =>
  body.errors[0]?.extensions.fieldViolations.map(({ field }) => field);

/** Sets the number of projects that the account seems to have. */
const countProjects = ({ account }: Tenant, count: number) =>
  setRow(gateway.database, account, { project_count: count });

test('a project is created with its cover, listed by both APIs, counted, and takes apps', async () => {
  const tenant = await seedTenant(gateway);
  const title = '🦊'.repeat(200);
  const { data } = await create(tenant, { title, description: '', clientMutationId: 'a' });
  const { project } = data.createProject;
  expect(data.createProject.clientMutationId).toBe('a');
  expect(project).toMatchObject({
    title,
    description: '',
    createTime: new Date(gateway.clock()).toISOString(),
  });
  const cover = await send(gateway.url + new URL(project.imageCoverUrl).pathname, 'GET');
  expect(cover.text).toMatch(/^<svg /);
  for (const api of [restApi(() => gateway.url), graphqlApi(() => gateway.url)]) {
    const { value } = await api.listProjects(tenant.token);
    const { createTime: _, ...fields } = project;
    expect(value?.projects).toContainEqual(fields);
  }
  const { data: counted } = await graphqlBody(gateway.url, tenant.token, '{ projects { totalCount } }');
  expect(counted.projects.totalCount).toBe(2);
  const app = { title: 'Till', active: true, project: project.name };
  const created = await mutate(gateway.url, tenant.token, 'createApp', app, 'app { project { name } }');
  expect(created.data.createApp.app.project).toEqual({ name: project.name });
});

test.each([
  [{ title: '' }, 'title'],
  [{ title: 'x'.repeat(201) }, 'title'],
  [{ title: 'x', description: 'x'.repeat(2001) }, 'description'],
  [{ title: 'x\0' }, 'title'],
])('an invalid project is not created: %j', async (input, field) => {
  const tenant = await seedTenant(gateway);
  const before = await textOf(gateway.database);
  expect(violationsOf(await create(tenant, input))).toEqual([field]);
  expect(await textOf(gateway.database)).toBe(before);
});

test('an account has at most 100,000 projects, also of concurrent creations', async () => {
  const tenant = await seedTenant(gateway);
  await countProjects(tenant, 99_999);
  const bodies = await Promise.all(
    Array.from({ length: 6 }, (_, n) => create(tenant, { title: `No. ${n}` })),
  );
  expect(bodies.filter(({ errors }) => errors === undefined)).toHaveLength(1);
  const before = await textOf(gateway.database);
  const headers = { 'idempotency-key': 'full' };
  const refused = await postGraphql(gateway.url, tenant.token, CREATE, { input: { title: 'More' } }, headers);
  expect(JSON.parse(refused.text).errors[0].extensions).toMatchObject({
    code: 'RATE_LIMITED',
    status: 'RESOURCE_EXHAUSTED',
    reason: 'TOO_MANY_PROJECTS',
  });
  expect(refused.headers.has('retry-after')).toBe(false);
  expect(await textOf(gateway.database)).toBe(before);
});

test('an update of a project changes only the fields that it has', async () => {
  const tenant = await seedTenant(gateway);
  const [name = ''] = tenant.projects;
  const { data } = await update(tenant, { name, title: 'Atlas', clientMutationId: 'b' });
  const { project } = data.updateProject;
  expect(data.updateProject.clientMutationId).toBe('b');
  expect(project).toMatchObject({ name, title: 'Atlas' });
  const described = await update(tenant, { name, description: 'Described' });
  expect(described.data.updateProject.project).toEqual({ ...project, description: 'Described' });
  const before = await textOf(gateway.database);
  const { data: same } = await update(tenant, { name });
  expect(same.updateProject.project).toEqual({ ...project, description: 'Described' });
  for (const [input, field] of [
    [{ title: '' }, 'title'],
    [{ title: null }, 'title'],
    [{ description: null }, 'description'],
  ] as const) {
    expect(violationsOf(await update(tenant, { name, ...input }))).toEqual([field]);
  }
  const { errors } = await update(tenant, { name: MISSING_PROJECT, title: 'x' });
  expect(errors[0].extensions.reason).toBe('RESOURCE_NOT_FOUND');
  expect(await textOf(gateway.database)).toBe(before);
});
