import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { TestProject } from 'vitest/node';
import { freePort } from './free-port.ts';

/**
 * Provides the Citus cluster that all tests of a run share: that of `PAW_TEST_CITUS_URL`, or one that the program
 * `PAW_TEST_CITUS` starts with the arguments `start <folder> <port>`, and stops with `stop <folder>`.
 */
export async function setup({ provide }: TestProject): Promise<(() => void) | undefined> {
  const { PAW_TEST_CITUS_URL: url, PAW_TEST_CITUS: program = '' } = process.env;
  if (url !== undefined) {
    provide('citusUrl', url);
    return undefined;
  }
  const parent = mkdtempSync(join(tmpdir(), 'paw-test-citus-'));
  // The server has a user of its own.
  chmodSync(parent, 0o755);
  const folder = join(parent, 'cluster');
  const run = (...words: string[]) =>
    execFileSync(resolve(program), words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  const stop = () => {
    run('stop', folder);
    rmSync(parent, { recursive: true, force: true });
  };
  try {
    provide('citusUrl', run('start', folder, String(await freePort())).trim());
  } catch (error) {
    stop();
    throw error;
  }
  return stop;
}
