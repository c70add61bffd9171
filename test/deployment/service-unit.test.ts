// @module-tag needs/systemd
// @module-tag night/deploy

import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../support/gateway.ts';

// "OK" in the scale of `systemd-analyze security`, which goes from 0 (best) to 100.
const MAX_EXPOSURE = 20;

const UNIT = new URL('../../deploy/paw-gateway@.service', import.meta.url);

test('a gateway whose starts fail is started again for ever, however late its database is', () => {
  const sections = readFileSync(UNIT, 'utf8').split(/^(?=\[)/m);
  const [unit, service] = ['[Unit]', '[Service]'].map((name) =>
    sections.find((each) => each.startsWith(name)),
  );
  // Otherwise systemd gives up after five starts in ten seconds.
  expect(unit).toMatch(/^StartLimitIntervalSec=0$/m);
  expect(service).toMatch(/^Restart=on-failure$/m);
});

test('systemd reports no error in the unit, and few privileges of the service', () => {
  const unit = join(testFolder(), 'paw-gateway@1.service');
  copyFileSync(UNIT, unit);
  const analyze = (...words: string[]) => {
    const { status, stdout, stderr } = spawnSync('systemd-analyze', [...words, unit], { encoding: 'utf8' });
    return { status, stdout, stderr };
  };
  expect(analyze('verify', '--man=no')).toEqual({ status: 0, stdout: '', stderr: '' });
  const security = analyze('security', '--offline=yes', '--no-pager', `--threshold=${MAX_EXPOSURE}`);
  expect(security).toMatchObject({ status: 0 });
});
