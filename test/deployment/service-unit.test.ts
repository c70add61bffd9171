// @module-tag needs/systemd
// @module-tag night/deploy

import { spawnSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../support/gateway.ts';

// "OK" in the scale of `systemd-analyze security`, which goes from 0 (best) to 100.
const MAX_EXPOSURE = 20;

test('systemd reports no error in the unit, and few privileges of the service', () => {
  const unit = join(testFolder(), 'paw-gateway@1.service');
  copyFileSync(new URL('../../deploy/paw-gateway@.service', import.meta.url), unit);
  const analyze = (...words: string[]) => {
    const { status, stdout, stderr } = spawnSync('systemd-analyze', [...words, unit], { encoding: 'utf8' });
    return { status, stdout, stderr };
  };
  expect(analyze('verify', '--man=no')).toEqual({ status: 0, stdout: '', stderr: '' });
  const security = analyze('security', '--offline=yes', '--no-pager', `--threshold=${MAX_EXPOSURE}`);
  expect(security).toMatchObject({ status: 0 });
});
