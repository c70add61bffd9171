import { type DocumentNode, Kind, type OperationDefinitionNode, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { hasSupportedConditions } from '../../../src/graphql/conditions.ts';

function operationOf({ definitions }: DocumentNode): OperationDefinitionNode {
  const operation = definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('The document has no operation.');
  return operation;
}

function isPlain(source: string): boolean {
  const document = parse(source);
  return hasSupportedConditions(operationOf(document), document);
}

describe('a query can be compiled', () => {
  test.each([
    ['without a condition', '{ a { b } a { b c } }'],
    [
      'with a condition on the only place of a field',
      'query ($v: Boolean!) { a @skip(if: $v) b { c @include(if: $v) } }',
    ],
    ['with a literal condition', '{ a @skip(if: true) b }'],
    ['with the same field under two aliases', 'query ($v: Boolean!) { x: a @skip(if: $v) y: a }'],
    [
      'with a condition on a fragment of other fields',
      'query ($v: Boolean!) { a ...F @skip(if: $v) } fragment F on T { b }',
    ],
    [
      'with a nullable variable that decides no condition',
      'query ($n: Int, $v: Boolean!) { a(n: $n) @skip(if: $v) }',
    ],
  ])('%s', (_, document) => {
    expect(isPlain(document)).toBe(true);
  });
});

describe('a query is left to graphql-js', () => {
  test.each([
    ['if a nullable variable decides', 'query ($v: Boolean) { a @skip(if: $v) }'],
    ['if a nullable variable with a default decides', 'query ($v: Boolean = true) { a @include(if: $v) }'],
    ['if the first place of a leaf has a condition', 'query ($v: Boolean!) { a @skip(if: $v) a }'],
    ['if a later place of a leaf has a condition', 'query ($v: Boolean!) { a a @skip(if: $v) }'],
    [
      'if a place of a leaf behind one of another type has a condition',
      '{ ... on S { a } ... on T { a @skip(if: true) b: a a } }',
    ],
    [
      'if one of two places of the same fragment has a condition',
      'query ($v: Boolean!) { ...F @skip(if: $v) ...F } fragment F on T { a }',
    ],
    [
      'if the first place is in a conditional inline fragment',
      'query ($v: Boolean!) { ... @include(if: $v) { a } a }',
    ],
    [
      'if the first place is in a conditional fragment',
      'query ($v: Boolean!) { ...F @skip(if: $v) a } fragment F on T { a }',
    ],
    ['if any place of an object has a condition', 'query ($v: Boolean!) { a { b } a @skip(if: $v) { c } }'],
    [
      'if a field below two places of an object has a condition',
      'query ($v: Boolean!) { a { b @skip(if: $v) } a { b } }',
    ],
    [
      'if a fragment in a conditional fragment selects an object again',
      'query ($v: Boolean!) { a { b } ...F @include(if: $v) } fragment F on T { ...G } fragment G on T { a { c } }',
    ],
    [
      'if a nullable variable decides in a fragment',
      'query ($v: Boolean) { ...F } fragment F on T { a @skip(if: $v) }',
    ],
  ])('%s', (_, document) => {
    expect(isPlain(document)).toBe(false);
  });
});

test('a fragment that does not exist is left to the validation', () => {
  expect(isPlain('query ($v: Boolean!) { ...Nothing a @skip(if: $v) }')).toBe(true);
});
