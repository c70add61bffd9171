import { expect, test } from 'vitest';
import { MIGRATIONS, parseMigration } from '../../../src/storage/migrations/migrations.ts';

test('a migration that renames or drops something is not compatible with the version before it', () => {
  for (const { version, compatibleFrom, statements } of MIGRATIONS) {
    const takesAway = statements.some((sql) => /\bRENAME\b|\bDROP (TABLE|COLUMN)\b/.test(sql));
    if (takesAway) expect(compatibleFrom).toBe(version);
  }
});

test('a migration in batches has no statement that can not be repeated', () => {
  const parse = (sql: string) => () =>
    parseMigration('0002-x', `-- batches: wallet (account_id, id)\n${sql};\n`);
  expect(parse('ALTER TABLE wallet ADD COLUMN label TEXT')).toThrow(/^In 0002-x, a statement has no range/);
  expect(parse("UPDATE wallet SET label = ''")).toThrow(/^In 0002-x, a statement has no range/);
  expect(parse('CREATE INDEX wallet_by_title ON wallet (label)')().statements).toHaveLength(1);
});
