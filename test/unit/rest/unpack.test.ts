import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../src/model/api-error.ts';
import { unpackObject, unpackQuery } from '../../../src/rest/unpack.ts';

const FIELDS = ['title', 'active'];

function errorOf(run: () => unknown): ApiError {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('Nothing was thrown.');
}

const fieldsOf = ({ fieldViolations }: ApiError) => fieldViolations.map(({ field }) => field);

describe('a body', () => {
  test.each([{}, { title: 1 }, { title: 'App', active: true }])('%j is returned as it is', (body) => {
    expect(unpackObject(body, FIELDS)).toEqual(body);
  });

  test.each([undefined, null, [], [{}], 'text', 1, true])('%j is not an object', (body) => {
    expect(errorOf(() => unpackObject(body, FIELDS))).toMatchObject({ reason: 'MALFORMED_REQUEST' });
    const inner = errorOf(() => unpackObject(body, FIELDS, 'privateKey'));
    expect([inner.reason, fieldsOf(inner)]).toEqual(['INVALID_FIELD', ['privateKey']]);
  });

  test.each([
    ['{"foo":1,"title":"a","bar":2}', ['foo', 'bar']],
    ['{"__proto__":{"title":"a"}}', ['__proto__']],
    ['{"constructor":1,"toString":2}', ['constructor', 'toString']],
  ])('%s has unknown fields, which are all named', (body, fields) => {
    expect(fieldsOf(errorOf(() => unpackObject(JSON.parse(body), FIELDS)))).toEqual(fields);
    const inner = errorOf(() => unpackObject(JSON.parse(body), FIELDS, 'privateKey'));
    expect(fieldsOf(inner)).toEqual(fields.map((field) => `privateKey.${field}`));
  });
});

describe('a query', () => {
  test.each([{}, { title: 'a' }, { title: '' }])('%j is returned as it is', (query) => {
    expect(unpackQuery(query, FIELDS)).toEqual(query);
  });

  test.each<[object, readonly string[]]>([
    [{ foo: '1' }, ['foo']],
    [{ title: ['a', 'a'] }, ['title']],
    [{ title: ['a', 'b'], active: ['c', 'd'] }, ['title', 'active']],
    [JSON.parse('{"__proto__":"1"}'), ['__proto__']],
  ])('%j is refused with the names of the parameters', (query, fields) => {
    expect(fieldsOf(errorOf(() => unpackQuery(query, FIELDS)))).toEqual(fields);
  });

  test('without known parameters is refused with an error that says so', () => {
    expect(errorOf(() => unpackQuery({ foo: '1' }, [])).message).toContain('Known fields: none');
  });
});
