// @module-tag needs/strace
// @module-tag night/power-cuts

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { type DiskTrace, traceDisk } from '../../support/disk-model.ts';
import { testFolder } from '../../support/gateway.ts';
import { randomNumbers } from '../../support/random-operation.ts';
import { SEED } from '../../support/seed.ts';

const WORKLOAD = fileURLToPath(new URL('../../support/power-cut-workload.ts', import.meta.url));

// Enough writes for a checkpoint.
const WRITES = 450;

const CUTS = 20;

test('after a power cut, every acknowledged write exists, and no partial transaction', () => {
  const { folder, trace } = run();
  const random = randomFractions(SEED);
  for (let cut = 1; cut <= CUTS; cut += 1) {
    const found = cutPower(trace, folder, random);
    expect(found, `cut ${cut} of PAW_TEST_SEED=${SEED}`).toMatchObject({
      integrity: 'ok',
      halves: [],
      lost: [],
    });
  }
});

test('without syncs of the log, power cuts lose acknowledged writes', () => {
  const { folder, trace } = run('no-sync');
  const random = randomFractions(1);
  let lost: readonly number[] = [];
  for (let cut = 1; cut <= 20 && lost.length === 0; cut += 1) ({ lost } = cutPower(trace, folder, random));
  expect(lost).not.toEqual([]);
});

function run(...options: readonly string[]): { readonly folder: string; readonly trace: DiskTrace } {
  const folder = testFolder();
  const command = [process.execPath, WORKLOAD, join(folder, 'paw.db'), String(WRITES), ...options];
  return { folder, trace: traceDisk(command, join(folder, 'trace')) };
}

/** Opens the files as they are on disk after a power cut at a random time. */
function cutPower(trace: DiskTrace, folder: string, random: () => number) {
  const start = trace.indexOf('start');
  const end = start + Math.floor(random() * (trace.length - start));
  const copy = join(folder, 'copy.db');
  rmSync(`${copy}-shm`, { force: true });
  for (const suffix of ['', '-wal']) {
    writeFileSync(copy + suffix, trace.contentAfterCut(join(folder, `paw.db${suffix}`), end, start, random));
  }
  const acknowledged = trace.linesBefore(end).slice(1).map(Number);

  const database = new DatabaseSync(copy);
  try {
    const integrity = database.prepare('PRAGMA integrity_check').get()?.['integrity_check'];
    const rows = database.prepare('SELECT id, COUNT(*) AS parts FROM item GROUP BY id').all();
    const ids = new Set(rows.map(({ id }) => id));
    return {
      integrity,
      halves: rows.filter(({ parts }) => parts !== 2),
      lost: acknowledged.filter((id) => !ids.has(id)),
    };
  } finally {
    database.close();
  }
}

/** Returns random numbers from 0 to 1 that depend only on the seed. */
function randomFractions(seed: number): () => number {
  const below = randomNumbers(seed);
  return () => below(2 ** 32) / 2 ** 32;
}
