import { expect, test } from 'vitest';
import { MISSING_PROJECT, payloadOf } from '../support/actors.ts';
import { textOf } from '../support/engine.ts';
import { seedTenant, useGateway } from '../support/gateway.ts';

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
  for (const [field, value] of [
    ['title', ''],
    ['title', null],
    ['description', null],
  ] as const) {
    expect(await update({ [field]: value })).toMatchObject({ fieldViolations: [{ field }] });
  }
  expect((await update({ name: MISSING_PROJECT, title: 'x' })).reason).toBe('RESOURCE_NOT_FOUND');
  expect(await textOf(gateway.database)).toBe(before);
});
