import { existsSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { pathOf, textOf } from '../support/engine.ts';
import { useGateway } from '../support/gateway.ts';
import { paw } from '../support/run-command.ts';
import { leaksOf, type Secrets, useSecrets } from '../support/secrets.ts';

const gateway = useGateway({ LOG_LEVEL: 'trace' });
let account: string;
let secrets: Secrets;

beforeAll(async () => {
  ({ account, secrets } = await useSecrets(gateway));
});

test('no error repeats a secret of its request', () => {
  expect(secrets.repeated).toEqual([]);
});

describe('no secret that was used', () => {
  test('is in any row of the database', async () => {
    const rows = await textOf(gateway.database);
    // The search finds what is there: the hashes.
    expect(secrets.hashes.filter((hash) => !rows.includes(hash))).toEqual([]);
    expect(rows).toContain('$argon2id$');
    expect(leaksOf(secrets, Buffer.from(rows))).toEqual([]);
  });

  // The test cannot read the files of PostgreSQL.
  if (inject('engine') === 'sqlite') {
    test('is in the bytes of the file or of its write-ahead log', () => {
      const path = pathOf(gateway.databaseUrl);
      const files = [path, `${path}-wal`];
      expect(files.filter((file) => !existsSync(file))).toEqual([]);
      const bytes = Buffer.concat(files.map((file) => readFileSync(file)));
      // The search finds what is there: the hashes.
      expect(secrets.hashes.filter((hash) => !bytes.includes(hash))).toEqual([]);
      expect(leaksOf(secrets, bytes)).toEqual([]);
    });
  }

  test('is in an audit event, nor is a hash or the value of a field', async () => {
    const words = ['audit', 'list', '--account', account, '--page-size', '100', '--json'];
    const { stdout } = await paw(words, { DATABASE_URL: gateway.databaseUrl });
    const { events } = JSON.parse(stdout);
    expect(events.map(({ fields }: { fields: readonly string[] }) => fields.join())).toContain('password');
    expect(leaksOf(secrets, Buffer.from(stdout))).toEqual([]);
    const values = [...secrets.hashes, '$argon2id$', '"Wallet 1"', '"No. 1"', '"Tenant"', '"App"'];
    expect(values.filter((value) => stdout.includes(value))).toEqual([]);
  });

  test('is in the log, even if the database fails', () => {
    const log = Buffer.from(gateway.log());
    expect(log.includes('update_time_ms')).toBe(true);
    // The requests are in it, too.
    for (const reason of ['INVALID_CREDENTIALS', 'TOKEN_INVALID', 'INVALID_FIELD', 'INTERNAL']) {
      expect(log.includes(`"reason":"${reason}"`), reason).toBe(true);
    }
    expect(leaksOf(secrets, log)).toEqual([]);
  });
});
