import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { namesOf, TABLES } from '../../../src/storage/sql/columns.ts';

const ROOT = new URL('../../', import.meta.url);

const EXCEPT = [
  // The statements themselves are its subject: how each waits for a lock.
  'engines/citus/locks.test.ts',
  'unit/support/sql.test.ts',
];

const FILES = globSync('**/*.test.ts', { cwd: ROOT, exclude: ['node_modules'] }).filter(
  (file) => !EXCEPT.includes(file),
);

const TABLE = TABLES.map(({ name }) => name).join('|');
const COLUMN = new RegExp(`\\b(${TABLES.flatMap(({ columns }) => namesOf(columns)).join('|')})\\b`, 'g');

// A statement up to the end of its text, or of the first value in it.
const STATEMENT = new RegExp(
  `\\b(?:SELECT [^'"\`;]*?FROM|INSERT INTO|UPDATE|DELETE FROM) (?:${TABLE})\\b[^'"\`;]*`,
  'g',
);

function columnsIn(text: string): readonly string[] {
  return (text.match(STATEMENT) ?? []).flatMap((statement) => statement.match(COLUMN) ?? []);
}

test('the SQL of tests names the columns of a table in test/support alone', () => {
  const found = FILES.map((file) => [file, columnsIn(readFileSync(new URL(file, ROOT), 'utf8'))]);
  expect(found.filter(([, columns]) => columns?.length !== 0)).toEqual([]);
  expect(FILES.length).toBeGreaterThan(100);
});

test.each([
  ['SELECT id, hash FROM token', ['id', 'hash']],
  ["UPDATE wallet SET title = 'x'", ['title']],
  ['INSERT INTO app\n  (account_id) VALUES ($1)', ['account_id']],
  ['DELETE FROM item WHERE id = $1', []],
  ['DELETE FROM project', []],
])('a column is found in %j: %j', (sql, columns) => {
  expect(columnsIn(sql)).toEqual(columns);
});
