import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';

const ROOT = new URL('../..', import.meta.url);

const URL_TEXT = /http:\/\/127\.0\.0\.1:\d+/;

/** Starts a program on a database of its own, and returns it once it says where it listens. */
async function start(
  program: string,
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'paw-signals-'));
  const child = spawn(program, args, {
    cwd: ROOT,
    env: {
      ...process.env,
      PORT: '0',
      DATABASE_URL: `sqlite:${join(folder, 'paw.db')}`,
      NODE_ENV: '',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const [url] = URL_TEXT.exec(line) ?? [];
    if (url !== undefined) return { child, ended, url };
  }
  throw new Error('The program ended before it listened.');
}

test.each(['start', 'demo'])('npm run %s passes SIGTERM on, and leaves no server behind', async (script) => {
  const { child, ended, url } = await start('npm', ['run', script]);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  child.kill('SIGTERM');
  await ended;
  await expect
    .poll(
      () =>
        fetch(`${url}/healthz`).then(
          () => 'there',
          () => 'gone',
        ),
      { timeout: 5000 },
    )
    .toBe('gone');
});

test('a server ignores SIGHUP, and a second SIGTERM ends it at once', async () => {
  const { child, ended, url } = await start(process.execPath, ['src/main.js', 'serve'], {
    PAW_STOP_DELAY: '60s',
  });
  child.kill('SIGHUP');
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  child.kill('SIGTERM');
  await expect.poll(async () => (await fetch(`${url}/readyz`)).status, { timeout: 5000 }).toBe(503);
  child.kill('SIGTERM');
  const [code, signal] = await ended;
  expect([code, signal]).toEqual([null, 'SIGTERM']);
});
