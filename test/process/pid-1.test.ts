import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { testDatabase } from '../support/gateway.ts';
import { listening, logLines, type Settings, startProgram } from '../support/paw.ts';

const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url));

/**
 * Starts the server as process 1 of a PID namespace, as a container does, and returns it once it listens.
 * The kernel ignores signals to process 1 that have no handler.
 */
async function startAsFirstProcess(settings: Settings = {}) {
  const namespaces = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
  const words = [...namespaces, '--pid', '--fork', '--kill-child', process.execPath, MAIN, 'serve'];
  const { url: DATABASE_URL } = await testDatabase();
  const variables = { PATH: String(process.env['PATH']), PORT: '0', DATABASE_URL, ...settings };
  const server = await listening(startProgram('unshare', words, variables));
  const [child] = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8').split(' ');
  return { ...server, signal: (name: NodeJS.Signals) => process.kill(Number(child), name) };
}

test('as process 1, a server ignores SIGHUP, and ends with status 0 on SIGTERM', async () => {
  const { url, output, ended, signal } = await startAsFirstProcess();
  expect(logLines(output()).map(({ pid }) => pid)).toContain(1);
  signal('SIGHUP');
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  signal('SIGTERM');
  expect(await ended).toMatchObject({ status: 0, stderr: '' });
  await expect(fetch(`${url}/healthz`)).rejects.toThrow();
});

test('as process 1, a server ends immediately on a second signal', async () => {
  const { url, ended, signal } = await startAsFirstProcess({ PAW_STOP_DELAY: '60s' });
  signal('SIGTERM');
  await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(503);
  signal('SIGINT');
  await expect.poll(() => fetch(`${url}/healthz`).catch(() => 'gone')).toBe('gone');
  expect((await ended).status).not.toBe(0);
});
