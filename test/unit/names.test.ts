import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';

const SRC = join(import.meta.dirname, '../../src');

function exportsOf(folder: string): ReadonlySet<string> {
  const files = globSync(`${folder}/**/*.ts`, { cwd: SRC });
  const declaration = /^export (?:async )?(?:function\*?|const|class|type) (\w+)/gm;
  const names = files.flatMap((file) => [...readFileSync(join(SRC, file), 'utf8').matchAll(declaration)]);
  return new Set(names.map(([, name = '']) => name));
}

test('no exported name is one of the operations, or of the operator, and one of storage', () => {
  const storage = exportsOf('storage');
  expect(storage.size).toBeGreaterThan(100);
  expect([...exportsOf('data'), ...exportsOf('operator')].filter((name) => storage.has(name))).toEqual([]);
});

test('no more than two files have the same name', () => {
  const files = globSync('**/*.ts', { cwd: SRC, exclude: ['**/generated/**'] });
  const byName = Object.entries(Object.groupBy(files, (file) => basename(file)));
  expect(byName.filter(([, same = []]) => same.length > 2)).toEqual([]);
});

test('the name of a statement begins with the verb of its SQL, or says what it is a part of', () => {
  const files = globSync('storage/tables/*.ts', { cwd: SRC, exclude: ['**/tables.ts'] });
  const declaration = /^export (?:async function|function|const) ([a-z]\w*)/gm;
  const names = files.flatMap((file) => [...readFileSync(join(SRC, file), 'utf8').matchAll(declaration)]);
  expect(names.length).toBeGreaterThan(40);
  const isNamed = /^(find|insert|update|delete|lock|count)[A-Z]|(Change|Statement|Condition)$/;
  expect(names.map(([, name = '']) => name).filter((name) => !isNamed.test(name))).toEqual([]);
});
