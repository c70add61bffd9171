import { expect, test } from 'vitest';
import { createProject } from '../../../src/data/more/create-project.ts';
import type { Ulid } from '../../../src/model/resource-name.ts';
import { graphqlBody } from '../../support/actors.ts';
import { seedTenant, useGateway } from '../../support/gateway.ts';

const gateway = useGateway();

test('a list is in the order of the bytes of its ids, whatever the locale of the database', async () => {
  const { account, token, projects } = await seedTenant(gateway);
  const [first = ''] = projects;
  // In Danish, AA is the last letter of the alphabet.
  const ids = ['A9', 'AA', 'AB', 'ZZ'].map((end) => `7ZZZZZZZZZZZZZZZ${first.slice(-8)}${end}` as Ulid);
  for (const id of ids) {
    await createProject({ ...gateway.admin, newId: () => id }, 'operator', { account, title: 'New' });
  }
  const names: string[] = [];
  for (let after: string | null = null; names.length <= ids.length; ) {
    const query = `query ($after: String) { projects(first: 1, after: $after) { nodes { name } pageInfo { endCursor } } }`;
    const { data } = await graphqlBody(gateway.url, token, query, { after });
    if (data.projects.nodes.length === 0) break;
    names.push(data.projects.nodes[0].name);
    after = data.projects.pageInfo.endCursor;
  }
  expect(names).toEqual([first, ...ids.map((id) => `projects/${id}`)]);
});
