import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startGateway } from 'paw-gateway/testing';

const gateway = await startGateway({ seed: { projects: ['Shop'], wallets: ['Till'] } });
after(() => gateway.close());

test('the projects of the seed are listed', async () => {
  const { projects } = await (await gateway.fetch('/project/projects')).json();
  assert.deepEqual(
    projects.map(({ title }) => title),
    ['Shop'],
  );
});

test('a fault is for one request', async () => {
  gateway.faults.next('unavailable', { operation: 'projects' });
  assert.equal((await gateway.fetch('/project/projects')).status, 503);
  assert.equal((await gateway.fetch('/project/projects')).status, 200);
});
