import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';

// "OK" in the scale of `systemd-analyze security`, which goes from 0 (best) to 100.
const MAX_EXPOSURE = 20;

let folder: string;
let unit: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'paw-test-unit-'));
  unit = join(folder, 'paw-gateway@1.service');
  const shipped = readFileSync(new URL('../../deploy/paw-gateway@.service', import.meta.url), 'utf8');
  writeFileSync(unit, shipped);
  return () => rmSync(folder, { recursive: true });
});

test('systemd reports no error in the unit', () => {
  const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unit], {
    encoding: 'utf8',
  });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
});

test('the service has few privileges', () => {
  const words = ['security', '--offline=yes', '--no-pager', `--threshold=${MAX_EXPOSURE}`, unit];
  const { status, stdout } = spawnSync('systemd-analyze', words, { encoding: 'utf8' });
  expect({ status, stdout }).toMatchObject({ status: 0 });
});
