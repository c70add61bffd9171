import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { bothApis } from '../support/apis.ts';
import { onDatabase } from '../support/engine.ts';
import { makeDatabase, seedTenant, startGateway } from '../support/gateway.ts';

const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url));

test.each(bothApis(() => ''))(
  'a failed sync ends the server with one line, and the write by $name, which was made, is RESULT_UNKNOWN',
  async ({ name }) => {
    const { url: databaseUrl, remove } = await makeDatabase();
    onTestFinished(remove);
    const before = await startGateway({ DATABASE_URL: databaseUrl });
    const { token, wallets } = await seedTenant(before, { wallets: 1 });
    await before.stop();

    // A server that starts on a current database writes nothing.
    const inject = ['--trace=fdatasync', '--inject=fdatasync:error=EIO'];
    const server = spawn(
      'strace',
      ['--follow-forks', '--seccomp-bpf', '--output=/dev/null', ...inject, process.execPath, MAIN, 'serve'],
      { env: { PATH: process.env['PATH'], HOME: process.env['HOME'], PORT: '0', DATABASE_URL: databaseUrl } },
    );
    onTestFinished(() => void server.kill('SIGKILL'));
    let [stdout, stderr] = ['', ''];
    server.stdout.on('data', (text) => {
      stdout += text;
    });
    server.stderr.on('data', (text) => {
      stderr += text;
    });
    const ended = new Promise((resolve) => server.once('close', resolve));
    await expect.poll(() => stdout, { timeout: 30_000 }).toContain('listening on');
    const { url } = JSON.parse(stdout.split('\n').find((line) => line.includes('listening on')) ?? '{}');
    const api = bothApis(() => url).find((each) => each.name === name);

    const { error, response } = (await api?.updateWallet(token, wallets[0] ?? '', { title: 'Lost' })) ?? {};
    expect(error).toMatchObject({ status: 'UNAVAILABLE', reason: 'RESULT_UNKNOWN' });
    expect(response?.status).toBe(name === 'REST' ? 503 : 200);
    expect(await ended).toBe(1);
    expect(stderr).toBe('paw: The write-ahead log could not be synced: EIO: i/o error, fdatasync\n');
    const title = 'SELECT title FROM wallet';
    expect(await onDatabase(databaseUrl, (after) => after.read(title))).toEqual([{ title: 'Lost' }]);
  },
);
