import { expect, test } from 'vitest';
import { updateStatements } from '../../../src/storage/sql/row-statements.ts';

const update = updateStatements(
  ['title', 'title_key', 'reference'],
  3,
  (assignments) => `UPDATE item SET ${assignments}`,
);

test('an update names the columns with new values alone', () => {
  expect(update({ title: 'a', reference: undefined })).toEqual({
    sql: 'UPDATE item SET title = $3, title_key = $4',
    values: ['a', '41'],
  });
});

test('an empty reference removes the one there is', () => {
  expect(update({ title: undefined, reference: '' })).toEqual({
    sql: "UPDATE item SET reference = NULLIF($3, '')",
    values: [''],
  });
});
