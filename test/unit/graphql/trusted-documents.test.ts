import { describe, expect, test } from 'vitest';
import { parseManifest } from '../../../src/graphql/trusted-documents.ts';

const LISTED = 'query Listed { projects { totalCount } }';

const APOLLO = {
  format: 'apollo-persisted-query-manifest',
  version: 1,
  operations: [{ id: 'abc', name: 'Listed', type: 'query', body: LISTED }],
};

describe('a manifest', () => {
  test('of Apollo is read', () => {
    expect(parseManifest(JSON.stringify(APOLLO))).toEqual(new Map([['abc', LISTED]]));
  });

  test('of Relay is read', () => {
    expect(parseManifest(JSON.stringify({ abc: LISTED }))).toEqual(new Map([['abc', LISTED]]));
  });

  test.each([
    '',
    '{',
    'null',
    '[]',
    '"text"',
    JSON.stringify({ abc: 1 }),
    JSON.stringify({ abc: '' }),
    JSON.stringify({ '': LISTED }),
    JSON.stringify({ abc: { text: LISTED } }),
    JSON.stringify({ ...APOLLO, format: 'other' }),
    JSON.stringify({ ...APOLLO, version: 2 }),
    JSON.stringify({ ...APOLLO, operations: {} }),
    JSON.stringify({ ...APOLLO, operations: [null] }),
    JSON.stringify({ ...APOLLO, operations: [{ id: 'abc' }] }),
    JSON.stringify({ ...APOLLO, operations: [{ body: LISTED }] }),
  ])('that is %s is invalid', (text) => {
    expect(parseManifest(text)).toBeUndefined();
  });
});
