import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';

/**
 * Starts the server as process 1 of a PID namespace, as a container does, and returns it once it listens.
 * The kernel ignores signals to process 1 that have no handler.
 */
async function startAsFirstProcess(settings: Readonly<Record<string, string>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'paw-pid-1-'));
  const namespaces = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
  const words = [...namespaces, '--pid', '--fork', '--kill-child', process.execPath, 'src/main.js', 'serve'];
  const unshare = spawn('unshare', words, {
    cwd: new URL('../..', import.meta.url),
    // The seed of the tests is no setting.
    env: {
      ...process.env,
      PAW_TEST_SEED: '',
      PORT: '0',
      DATABASE_URL: `sqlite:${join(folder, 'paw.db')}`,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: { pid: number; msg: string; url?: string }[] = [];
  const ended = once(unshare, 'close');
  onTestFinished(async () => {
    unshare.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  const url = await new Promise<string>((resolve, reject) => {
    unshare.once('error', reject);
    unshare.once('close', (code) => reject(new Error(`The program ended with ${code} before it listened.`)));
    createInterface({ input: unshare.stdout }).on('line', (line) => {
      const entry = JSON.parse(line);
      lines.push(entry);
      if (entry.url !== undefined) resolve(entry.url);
    });
  });
  const [child] = readFileSync(`/proc/${unshare.pid}/task/${unshare.pid}/children`, 'utf8').split(' ');
  return {
    url,
    lines,
    ended,
    signal: (name: NodeJS.Signals) => process.kill(Number(child), name),
  };
}

test('as process 1, a server ignores SIGHUP, and ends with status 0 on SIGTERM', async () => {
  const { url, lines, ended, signal } = await startAsFirstProcess();
  expect(lines.map(({ pid }) => pid)).toContain(1);
  signal('SIGHUP');
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  signal('SIGTERM');
  expect(await ended).toEqual([0, null]);
  await expect(fetch(`${url}/healthz`)).rejects.toThrow();
});

test('as process 1, a server ends immediately on a second signal', async () => {
  const { url, ended, signal } = await startAsFirstProcess({ PAW_STOP_DELAY: '60s' });
  signal('SIGTERM');
  await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(503);
  signal('SIGINT');
  await expect.poll(() => fetch(`${url}/healthz`).catch(() => 'gone')).toBe('gone');
  expect(await ended).not.toEqual([0, null]);
});
