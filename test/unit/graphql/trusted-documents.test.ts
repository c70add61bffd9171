import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/graphql/json-object.ts';
import {
  parseManifest,
  type TrustedDocumentsMode,
  trustedDocuments,
} from '../../../src/graphql/trusted-documents.ts';

const LISTED = 'query Listed { projects { totalCount } }';
const UNLISTED = 'query Unlisted { projects { totalCount } }';

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

const apollo = (sha256Hash: string) => ({ persistedQuery: { version: 1, sha256Hash } });

/** Resolves parameters with a manifest of one document. Returns the result or the reason of the error. */
function resolve(mode: TrustedDocumentsMode, parameters: JsonObject, logged: unknown[] = []): unknown {
  const manifest = new Map([['abc', LISTED]]);
  try {
    return trustedDocuments(manifest, mode, { info: (fields: unknown) => logged.push(fields) })(
      parameters,
      'id',
    );
  } catch (error) {
    return (error as { reason: string }).reason;
  }
}

describe('in every mode', () => {
  const mode = 'require';

  test.each([
    { documentId: 'abc' },
    { documentId: 'sha256:abc' },
    { doc_id: 'abc' },
    { id: 'abc' },
    { id: 'abc', query: '' },
    { id: 'abc', query: null },
    { extensions: apollo('abc') },
  ])('the id in %o is replaced by the document', (parameters) => {
    const others = { operationName: 'Listed', variables: { a: 1 } };
    expect(resolve(mode, { ...parameters, ...others })).toStrictEqual({ query: LISTED, ...others });
  });

  test('other extensions are kept', () => {
    const parameters = { extensions: { ...apollo('abc'), trace: 1 } };
    expect(resolve(mode, parameters)).toStrictEqual({ query: LISTED, extensions: { trace: 1 } });
  });

  test('a request without a document is left to Apollo Server', () => {
    const parameters = { documentId: 5, query: { text: LISTED } };
    expect(resolve(mode, parameters)).toBe(parameters);
  });
});

test.each<TrustedDocumentsMode>(['log', 'prefer'])(
  'in the mode %s, other documents and automatic persisted queries are accepted',
  (mode) => {
    for (const parameters of [{ query: UNLISTED }, { extensions: apollo('def') }]) {
      expect(resolve(mode, parameters)).toBe(parameters);
    }
  },
);

test('the mode log logs another document once, without its text', () => {
  const logged: unknown[] = [];
  const info = (fields: unknown) => logged.push(fields);
  const resolveLogged = trustedDocuments(new Map(), 'log', { info });
  const secret = '{ node(id: "secret") { id } }';
  for (const query of [UNLISTED, UNLISTED, secret]) {
    resolveLogged({ query, operationName: query === secret ? 'not a name' : 'Unlisted' }, 'id');
  }
  const sha256 = expect.stringMatching(/^[0-9a-f]{64}$/);
  expect(logged).toEqual([
    { reqId: 'id', sha256, operationName: 'Unlisted' },
    { reqId: 'id', sha256 },
  ]);
});
