import keyvTestSuite from '@keyv/test-suite';
import { Keyv } from 'keyv';
import * as vitest from 'vitest';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Ulid } from '../../../src/model/resource-name.ts';
import { insertAccount } from '../../../src/storage/accounts.ts';
import type { Database, Queryable } from '../../../src/storage/database.ts';
import { migrate } from '../../../src/storage/migrate.ts';
import { openDatabase } from '../../../src/storage/open-database.ts';
import { KeyvAdapter } from '../../../src/storage/token-store.ts';
import { makeDatabase, testClock } from '../../support/gateway.ts';

// A namespace is an account, and the entries of an account that does not exist are not found. The first three are those
// of Keyv's own suite: its default, and two of its tests.
const NAMESPACES = ['keyv', 'keyv1', 'keyv2', 'life', 'again', 'one', 'two', 'rollback'];
const CLEARED = ['clear', 'clear2', 'clea', 'CLEAR', 'clea_', '%', ''];

let database: Database;

beforeAll(async () => {
  const { url, remove } = await makeDatabase();
  database = await openDatabase(url);
  await migrate(database, Date.now());
  for (const id of [...NAMESPACES, ...CLEARED]) {
    await insertAccount(database, {
      id: id as Ulid,
      title: id,
      default_project_id: 'none' as Ulid,
      project_count: 0,
      state: 'ACTIVE',
      create_time_ms: 0,
    });
  }
  return async () => {
    await database.close();
    await remove();
  };
});

describe("by Keyv's own suite", () => {
  // The suite stops the clock by replacing `Date`.
  keyvTestSuite(vitest, Keyv, () => adapterOf(database, () => Date.now()));
});

describe('an entry', () => {
  test('exists until its time to live is over', async () => {
    const clock = testClock();
    const adapter = adapterOf(database, clock);
    await adapter.set('life:short', 'a', 1000);
    await adapter.set('life:none', 'b', 0);
    await adapter.set('life:endless', 'c');
    const all = () => Promise.all(['short', 'none', 'endless'].map((key) => adapter.get(`life:${key}`)));
    expect(await all()).toEqual(['a', undefined, 'c']);
    clock.advance(999);
    expect(await all()).toEqual(['a', undefined, 'c']);
    clock.advance(1);
    expect(await all()).toEqual([undefined, undefined, 'c']);
  });

  test('that is set again has the new value and time to live', async () => {
    const clock = testClock();
    const adapter = adapterOf(database, clock);
    await adapter.set('again:longer', 'old', 1000);
    await adapter.set('again:longer', 'new', 2000);
    await adapter.set('again:endless', 'old', 1000);
    await adapter.set('again:endless', 'new');
    clock.advance(1999);
    expect(await adapter.get('again:longer')).toBe('new');
    clock.advance(1);
    expect(await adapter.get('again:longer')).toBeUndefined();
    expect(await adapter.get('again:endless')).toBe('new');
  });

  test.each(['a:b', ':', "'; DROP TABLE token; --", '$1', '%_\\', '🔑 ключ'])(
    'may have the key %j',
    async (key) => {
      const [one, two] = [namespace('one'), namespace('two')];
      expect(await one.set(key, 'mine')).toBe(true);
      expect(await one.get(key)).toBe('mine');
      expect([await two.get(key), await one.get(`${key}A`)]).toEqual([undefined, undefined]);
      await two.set(key, 'theirs');
      expect(await one.delete(key)).toBe(true);
      expect(await one.delete(key)).toBe(false);
      expect(await one.get(key)).toBeUndefined();
      expect(await two.get(key)).toBe('theirs');
      await two.clear();
    },
  );
});

describe('clearing', () => {
  test('clears only its own namespace', async () => {
    const adapter = adapterOf(database);
    for (const name of CLEARED) await adapter.set(`${name}:key`, 'value');
    const left = () => Promise.all(CLEARED.map((name) => adapter.get(`${name}:key`)));
    expect(await left()).toEqual(CLEARED.map(() => 'value'));
    adapter.namespace = 'clear';
    await adapter.clear();
    expect(await left()).toEqual([undefined, ...CLEARED.slice(1).map(() => 'value')]);
  });

  test('in a failed transaction clears nothing', async () => {
    const mine = namespace('rollback');
    await mine.set('key', 'value');
    const failing = database.transaction(async (transaction) => {
      await new Keyv({ store: adapterOf(transaction), namespace: 'rollback' }).clear();
      throw new Error('Something else failed.');
    });
    await expect(failing).rejects.toThrow('Something else failed.');
    expect(await mine.get('key')).toBe('value');
  });
});

function adapterOf(target: Queryable, clock: () => number = Date.now): KeyvAdapter {
  return new KeyvAdapter(target, clock);
}

function namespace(name: string): Keyv<string> {
  return new Keyv({ store: adapterOf(database), namespace: name, throwOnErrors: true });
}
