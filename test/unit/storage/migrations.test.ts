import { expect, test } from 'vitest';
import { MIGRATIONS, parseMigration } from '../../../src/storage/migrations/versions.ts';

test('a migration that renames or drops something is not compatible with the version before it', () => {
  for (const { version, compatibleFrom, statements } of MIGRATIONS) {
    const takesAway = statements.some((sql) => /\bRENAME\b|\bDROP (TABLE|COLUMN)\b/.test(sql));
    if (takesAway) expect(compatibleFrom).toBe(version);
  }
});

test('each statement of a migration in batches creates an index, or has a range of keys', () => {
  const parse = (sql: string) => () =>
    parseMigration('0002-x', `-- batches: wallet (account_id, id)\n${sql};\n`);
  expect(parse('ALTER TABLE wallet ADD COLUMN label TEXT')).toThrow(/^In 0002-x, a statement has no range/);
  expect(parse("UPDATE wallet SET label = ''")).toThrow(/^In 0002-x, a statement has no range/);
  expect(parse('CREATE INDEX wallet_by_title ON wallet (label)')().statements).toHaveLength(1);
  for (const line of ['-- batches: wallet(account_id, id)', '-- batches wallet (id)', '--batches: wallet']) {
    expect(() => parseMigration('0002-x', `${line}\nUPDATE wallet SET label = $1;\n`)).toThrow(
      /"batches" is malformed/,
    );
  }
  expect(() => parseMigration('0002-x', 'UPDATE wallet SET label = $1;\n')).toThrow(/without "batches"/);
});
