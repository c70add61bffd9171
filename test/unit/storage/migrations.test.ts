import { expect, test } from 'vitest';
import { MIGRATIONS, parseMigration } from '../../../src/storage/migrations.ts';

const SQL = 'CREATE TABLE a (id TEXT);\n\n-- About b.\nCREATE TABLE b (id TEXT);\n';

test('a migration is split into its statements', () => {
  expect(parseMigration('0009-tables', SQL)).toEqual({
    version: 9,
    name: '0009-tables',
    compatibleFrom: 9,
    statements: ['CREATE TABLE a (id TEXT)', '-- About b.\nCREATE TABLE b (id TEXT)'],
  });
});

test.each([
  ['no line', '', 9],
  ['a line', '-- compatible-from: 7\n\n', 7],
  ['a line after a comment', '-- Two tables.\n-- compatible-from: 1\n', 1],
  ['a line of another form', '-- This is compatible-from: 7\n', 9],
])('with %s, it is compatible from version %#', (_, lines, compatibleFrom) => {
  expect(parseMigration('0009-tables', lines + SQL).compatibleFrom).toBe(compatibleFrom);
});

test('a migration that renames or drops something is not compatible with the version before it', () => {
  for (const { version, compatibleFrom, statements } of MIGRATIONS) {
    const takesAway = statements.some((sql) => /\bRENAME\b|\bDROP (TABLE|COLUMN)\b/.test(sql));
    if (takesAway) expect(compatibleFrom).toBe(version);
  }
});
