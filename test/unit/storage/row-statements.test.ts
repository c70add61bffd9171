import { expect, test } from 'vitest';
import { idGenerator, type Ulid } from '../../../src/model/resource-name.ts';
import type { Queryable, Value } from '../../../src/storage/database.ts';
import { selectByIds } from '../../../src/storage/row-statements.ts';

const newId = idGenerator(Date.now);
const account = newId();

/** The statements and parameters for a list of ids. */
async function statementsFor(ids: readonly Ulid[]) {
  const statements: { sql: string; params: readonly Value[] }[] = [];
  const database: Pick<Queryable, 'read'> = {
    async read(sql: string, params: readonly Value[] = []) {
      statements.push({ sql, params });
      return [];
    },
  };
  await selectByIds({ name: 'app', columns: 'id' })(database, account, ids);
  return statements;
}

test('an empty list needs no statement', async () => {
  expect(await statementsFor([])).toEqual([]);
});

test.each([
  [1, 1],
  [2, 10],
  [10, 10],
  [11, 100],
  [100, 100],
])('%i ids are read by a statement of %i places, filled with empty ids', async (count, places) => {
  const ids = Array.from({ length: count }, newId);
  const [{ sql, params } = { sql: '', params: [] }, ...others] = await statementsFor(ids);
  expect(others).toEqual([]);
  expect(sql.match(/\$\d+/g)).toEqual(Array.from({ length: places + 1 }, (_, index) => `$${index + 1}`));
  expect(params).toEqual([account, ...ids, ...new Array(places - count).fill('')]);
});
