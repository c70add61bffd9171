import { expect, test } from 'vitest';
import { graphqlRequest } from '../../../src/graphql/compiled-queries.ts';

const query = '{ projects { totalCount } }';

test.each<[string, object]>([
  ['a query alone', { query }],
  ['nulls', { query, operationName: null, variables: null, extensions: null }],
  ['a name and variables', { query, operationName: 'A', variables: { n: 1 } }],
  ['other extensions', { query, extensions: { clientLibrary: {} } }],
  ['a field of another name', { query, id: 1 }],
])('a body with %s can be answered by a compiled query', (_, body) => {
  expect(graphqlRequest(body)).toBe(body);
});

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['a list', [{ query }]],
  ['a string', query],
  ['no query', {}],
  ['a query that is no string', { query: 1 }],
  ['a name that is no string', { query, operationName: 1 }],
  ['variables in a list', { query, variables: [] }],
  ['variables in text', { query, variables: '{}' }],
  ['extensions in a list', { query, extensions: [] }],
  ['a persisted query', { query, extensions: { persistedQuery: { version: 1, sha256Hash: '' } } }],
])('a body with %s is left to Apollo Server', (_, body) => {
  expect(graphqlRequest(body)).toBeUndefined();
});
