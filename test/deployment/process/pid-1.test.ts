import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { seedDatabase, testDatabase, testFolder } from '../../support/gateway.ts';
import { listening, logLines, type Settings, startProgram } from '../../support/run-command.ts';

const MAIN = fileURLToPath(new URL('../../../src/main.js', import.meta.url));

/**
 * Starts `paw` as process 1 of a PID namespace, as a container does, with a pipe that stays open as its standard input.
 * The kernel ignores signals to process 1 that have no handler.
 */
function startAsFirstProcess(command: readonly string[], settings: Settings) {
  const namespaces = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
  const words = [...namespaces, '--pid', '--fork', '--kill-child', process.execPath, MAIN, ...command];
  const input = join(testFolder(), 'input');
  execFileSync('mkfifo', [input]);
  const variables = { PATH: String(process.env['PATH']), PORT: '0', ...settings };
  const running = startProgram('/bin/sh', ['-c', 'exec unshare "$@" <>"$0"', input, ...words], variables);
  const signal = (name: NodeJS.Signals) => {
    // None before its start and after its end.
    for (const child of childrenOf(running.pid)) process.kill(child, name);
  };
  return { ...running, signal };
}

function childrenOf(pid: number): readonly number[] {
  const file = `/proc/${pid}/task/${pid}/children`;
  return existsSync(file) ? readFileSync(file, 'utf8').split(' ').filter(Boolean).map(Number) : [];
}

async function startServerAsFirstProcess(settings: Settings = {}) {
  const { url: DATABASE_URL } = await testDatabase();
  const running = startAsFirstProcess(['serve'], { DATABASE_URL, ...settings });
  return { ...running, ...(await listening(running)) };
}

test('as process 1, a server ignores SIGHUP, and ends with status 0 on SIGTERM', async () => {
  const { url, output, ended, signal } = await startServerAsFirstProcess();
  expect(logLines(output()).map(({ pid }) => pid)).toContain(1);
  signal('SIGHUP');
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  signal('SIGTERM');
  expect(await ended).toMatchObject({ status: 0, stderr: '' });
  await expect(fetch(`${url}/healthz`)).rejects.toThrow();
});

test('as process 1, a server ends immediately on a second signal', async () => {
  const { url, ended, signal } = await startServerAsFirstProcess({ PAW_STOP_DELAY: '60s' });
  signal('SIGTERM');
  await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(503);
  signal('SIGINT');
  await expect.poll(() => fetch(`${url}/healthz`).catch(() => 'gone')).toBe('gone');
  expect((await ended).status).not.toBe(0);
});

test.each(['SIGTERM', 'SIGINT'] as const)(
  'as process 1, a command that waits for its input ends on %s',
  async (name) => {
    const { url: DATABASE_URL } = await testDatabase();
    const { account } = await seedDatabase(DATABASE_URL);
    const { signal, ended } = startAsFirstProcess(['import', '--account', account, '-'], { DATABASE_URL });
    let isRunning = true;
    void ended.then(() => {
      isRunning = false;
    });
    // The program has to be loaded before.
    const end = () => {
      if (isRunning) signal(name);
      return isRunning;
    };
    await expect.poll(end).toBe(false);
    expect(await ended).toEqual({ status: 1, stdout: '', stderr: '' });
  },
);
