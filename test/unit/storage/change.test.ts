import { expect, test } from 'vitest';
import type { ConditionalSql } from '../../../src/storage/interface/database.ts';
import { renderSql } from '../../../src/storage/work/change.ts';

test.each<[what: string, sql: ConditionalSql]>([
  ['a parameter', ([first], condition) => `DELETE FROM item WHERE id = ${first} AND ${condition}`],
  ['its names', (_, condition) => `DELETE FROM item WHERE id = $1 AND at = $2 AND ${condition}`],
  [
    'a parameter of many',
    (names, condition) => `DELETE FROM item WHERE id IN (${names.slice(1)}, $30) AND ${condition}`,
  ],
  ['the condition', (names) => `DELETE FROM item WHERE id IN (${names})`],
])('the text of a change that leaves out %s is refused', (_, sql) => {
  expect(() => renderSql(sql, ['$3', '$4'])).toThrow(/^The change /);
});
