import { existsSync, readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { pathOf } from '../support/engine.ts';
import { startGateway } from '../support/gateway.ts';
import { leaksOf, useSecrets } from '../support/secrets.ts';

test('no secret that was used is in the bytes of the file or of its write-ahead log', async () => {
  const gateway = await startGateway({ LOG_LEVEL: 'trace' });
  onTestFinished(gateway.stop);
  const { secrets } = await useSecrets(gateway);
  const path = pathOf(gateway.databaseUrl);
  const files = [path, `${path}-wal`];
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
  const bytes = Buffer.concat(files.map((file) => readFileSync(file)));
  // What is looked for would be found: the hashes are there.
  expect(secrets.hashes.filter((hash) => !bytes.includes(hash))).toEqual([]);
  expect(bytes.includes('$argon2id$')).toBe(true);
  expect(leaksOf(secrets, bytes)).toEqual([]);
});
