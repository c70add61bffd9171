import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OPERATIONS, RULES } from '../../support/operation-rules.ts';

const SOURCES = OPERATIONS.map((operation) => [operation.name, String(operation)] as const);

test.each(SOURCES)('%s begins with its own rules', (name, source) => {
  const [, rules] = /\bbegin\(call, (.*?)\)/.exec(source) ?? [];
  expect(rules).toBe(`${name}.rules`);
});

const SRC = join(import.meta.dirname, '../../../src');

const FILES = globSync('{graphql,http,oauth,pages,rest}/**/*.ts', { cwd: SRC });

/** What an API may import beside operations with rules and types: what a client without a token calls, or has no dependencies. */
const OTHERS = [
  'grantToken',
  'revokeTokenByText',
  'introspectToken',
  'beginIdempotent',
  'assertMayChange',
  'toApiError',
];

test('an API imports no function of the data layer that needs dependencies', () => {
  const texts = FILES.map((file) => readFileSync(join(SRC, file), 'utf8')).join('\n');
  expect(texts).not.toMatch(/(import \*|import\(|export .* from).*\/data\//);
  const imported = FILES.flatMap((file) =>
    [...readFileSync(join(SRC, file), 'utf8').matchAll(/^import \{([^}]+)\} from '[./]+\/data\//gm)].flatMap(
      ([, names = '']) => names.split(',').map((name) => name.trim()),
    ),
  );
  const names = new Set(imported.filter((name) => name !== '' && !name.startsWith('type ')));
  expect(names).not.toHaveLength(0);
  expect([...names].filter((name) => !OTHERS.includes(name) && !(name in RULES))).toEqual([]);
});
