import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startPaw } from '../support/paw.ts';

test('paw demo keeps its data in data/demo.db unless it is told where', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'paw-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const running = startPaw(['demo'], { PORT: '0' }, folder);
  onTestFinished(async () => {
    await running.stop('SIGKILL');
  });
  await running.printed('Stop with');
  expect(existsSync(join(folder, 'data', 'demo.db'))).toBe(true);
});
