import { expect, test } from 'vitest';
import { textOf } from '../support/engine.ts';
import { seedTenant, useGateway } from '../support/gateway.ts';
import { graphqlBody, MISSING_PROJECT, payloadOf } from '../support/requests.ts';

const SELECTION =
  'clientMutationId project { name title description imageCoverUrl imageCoverCid createTime }';

const gateway = useGateway();

test('an update of a project changes only the fields that it has', async () => {
  const { token, project: name } = await seedTenant(gateway);
  const update = (fields: object) =>
    payloadOf(gateway.url, token, 'updateProject', { name, ...fields }, SELECTION);
  const { clientMutationId, project } = await update({ title: 'Atlas', clientMutationId: 'b' });
  expect(clientMutationId).toBe('b');
  expect(project).toMatchObject({ name, title: 'Atlas' });
  const described = { ...project, description: 'Described' };
  expect((await update({ description: 'Described' })).project).toEqual(described);
  const before = await textOf(gateway.database);
  expect((await update({})).project).toEqual(described);
  expect((await update({ name: MISSING_PROJECT, title: 'x' })).reason).toBe('RESOURCE_NOT_FOUND');
  expect(await textOf(gateway.database)).toBe(before);
});

test('the etag of a project changes with its title and description, is the same in lists, and is compared', async () => {
  const { token, project: name } = await seedTenant(gateway);
  const update = (fields: object) =>
    payloadOf(gateway.url, token, 'updateProject', { name, ...fields }, 'project { etag }');
  const listed = async () => {
    const { data } = await graphqlBody(gateway.url, token, '{ projects { nodes { etag } } }');
    return data.projects.nodes[0].etag;
  };
  const first = await listed();
  const second = (await update({ title: 'Atlas', ifMatch: first })).project.etag;
  const third = (await update({ description: 'Described' })).project.etag;
  expect(new Set([first, second, third]).size).toBe(3);
  expect((await update({ ifMatch: third })).project.etag).toBe(third);
  expect(await listed()).toBe(third);
  const before = await textOf(gateway.database);
  for (const changes of [{ title: 'Late' }, { description: 'Late' }, {}]) {
    for (const ifMatch of [first, second, 'unknown']) {
      expect((await update({ ifMatch, ...changes })).reason).toBe('ETAG_MISMATCH');
    }
  }
  expect((await update({ name: MISSING_PROJECT, ifMatch: third })).reason).toBe('RESOURCE_NOT_FOUND');
  expect(await textOf(gateway.database)).toBe(before);
});

test('of two updates of a project with the same etag at the same time, one succeeds', async () => {
  const { token, project: name } = await seedTenant(gateway);
  const { data } = await graphqlBody(gateway.url, token, '{ projects { nodes { etag } } }');
  const [{ etag: ifMatch }] = data.projects.nodes;
  const update = (title: string) =>
    payloadOf(gateway.url, token, 'updateProject', { name, title, ifMatch }, 'project { title }');
  const results = await Promise.all(['One', 'Two', 'Three'].map(update));
  expect(results.filter(({ project }) => project !== undefined)).toHaveLength(1);
  expect(results.filter(({ reason }) => reason === 'ETAG_MISMATCH')).toHaveLength(2);
});
