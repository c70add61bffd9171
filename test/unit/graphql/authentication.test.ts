import { parse } from 'graphql';
import { expect, test } from 'vitest';
import { isIntrospection } from '../../../src/graphql/authentication.ts';

function isOpen(source: string): boolean {
  return isIntrospection(parse(source));
}

test.each([
  '{ __typename }',
  '{ __schema { types { name } } a: __type(name: "App") { fields { name } } }',
  '{ projects: __typename }',
  '{ ... on Query { __typename } }',
  '{ ...F } fragment F on Query { __typename ...G } fragment G on Query { __schema { types { name } } }',
  'mutation { __typename }',
  'query A { __typename } query B { __typename }',
  '{ __typename ...Nothing }',
  '{ ...F } fragment F on Query { __typename ...F }',
])('%s is introspection alone', (document) => {
  expect(isOpen(document)).toBe(true);
});

test.each([
  '{ projects { totalCount } }',
  '{ __typename projects { totalCount } }',
  '{ __typename: projects { totalCount } }',
  '{ __typename ... { ... on Query { projects { totalCount } } } }',
  '{ __typename ...F } fragment F on Query { ...G } fragment G on Query { projects { totalCount } }',
  '{ __typename projects @skip(if: true) { totalCount } }',
  'query A { __typename } query B { projects { totalCount } }',
])('%s is more than introspection', (document) => {
  expect(isOpen(document)).toBe(false);
});

test('fragments that double at each of 60 levels are walked once each', () => {
  const fragments = Array.from(
    { length: 60 },
    (_, n) => `fragment F${n} on Query { ...F${n + 1} ...F${n + 1} }`,
  );
  expect(isOpen(`{ ...F0 } ${fragments.join(' ')} fragment F60 on Query { __typename }`)).toBe(true);
});
