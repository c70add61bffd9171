import { startGateway } from 'paw-gateway/testing';
import { afterAll, expect, test } from 'vitest';

const gateway = await startGateway({ seed: { projects: ['Shop'], wallets: ['Till'] } });
afterAll(() => gateway.close());

test('the projects of the seed are listed', async () => {
  const { projects } = await (await gateway.fetch('/project/projects')).json();
  expect(projects.map(({ title }) => title)).toEqual(['Shop']);
});

test('a fault is for one request', async () => {
  gateway.faults.next('unavailable', { operation: 'projects' });
  expect((await gateway.fetch('/project/projects')).status).toBe(503);
  expect((await gateway.fetch('/project/projects')).status).toBe(200);
});
