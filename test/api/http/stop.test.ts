import { Agent } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { mock } from 'node:test';
import { expect, onTestFinished, test } from 'vitest';
import { createHttpApp } from '../../../src/http/server/http-app.ts';
import { request } from '../../support/pages.ts';

test('a response closes its connection from the end of listening on, and not before', async () => {
  const { app, stop } = createHttpApp({ debug() {} }, {});
  app.get('/', async () => 'text');
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const connectionHeader = async () => {
    const response = await request(`http://127.0.0.1:${port}`, { agent });
    await text(response);
    return response.headers.connection;
  };
  expect(await connectionHeader()).toBe('keep-alive');
  // The time stands still until it is advanced, for named imports of `node:timers/promises` as well.
  mock.timers.enable({ apis: ['setTimeout'] });
  syncBuiltinESMExports();
  onTestFinished(() => {
    mock.timers.reset();
    syncBuiltinESMExports();
  });
  const stopped = stop(1000);
  mock.timers.tick(999);
  expect(await connectionHeader()).toBe('keep-alive');
  expect(app.server.listening).toBe(true);
  mock.timers.tick(1);
  await expect.poll(() => app.server.listening).toBe(false);
  expect(await connectionHeader()).toBe('close');
  await stopped;
});
