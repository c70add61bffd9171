import { expect, test } from 'vitest';
import { OPERATIONS } from '../../support/operation-rules.ts';

const SOURCES = OPERATIONS.map((operation) => [operation.name, String(operation)] as const);

test.each(SOURCES)('%s begins with its own rules', (name, source) => {
  const [, rules] = /\bbegin\(call, (.*?)\)/.exec(source) ?? [];
  expect(rules).toBe(`${name}.rules`);
});
