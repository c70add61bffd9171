import { buildSchema, Kind, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { InputViolations } from '../../../src/graphql/rules/input-violations.ts';

const schema = buildSchema(`
  type Query { ask(input: Input!, list: [Int!], id: ID, flag: Boolean, kind: Kind, number: Float): Int }
  input Input { title: String! inner: Inner kinds: [Kind!] note: String = "none" }
  input Inner { count: Int! }
  enum Kind { FIRST SECOND OLD @deprecated(reason: "Use FIRST.") }
`);

function violationsOf(definition: string, value: unknown, isSchemaPublic = true) {
  const document = parse(`query ($v: ${definition}) { ask(input: $v) }`);
  const [operation] = document.definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('There is no operation.');
  const variables = value === undefined ? {} : { v: value };
  const inputs = new InputViolations(schema, isSchemaPublic);
  return inputs
    .ofVariables(operation, variables, new Map())
    .map(({ violation: { field, description } }) => `${field}: ${description}`);
}

const KINDS = 'Must be one of FIRST, SECOND.';
const INT = 'Must be a 32-bit integer.';

describe('a variable', () => {
  test.each<readonly [string, string, unknown]>([
    ['that may be left out', 'Int', undefined],
    ['that may be null', 'Int', null],
    ['with a default', 'Int! = 1', undefined],
    ['of one item in place of a list', '[Int!]', 1],
    ['of an integer as an ID', 'ID', 7],
    ['with all its fields', 'Input!', { title: 'a', inner: { count: 1 }, kinds: ['OLD'], note: null }],
    ['without what may be left out', 'Input!', { title: 'a' }],
  ])('%s fits', (_name, definition, value) => {
    expect(violationsOf(definition, value)).toEqual([]);
  });

  test.each<readonly [string, string, unknown, readonly string[]]>([
    ['that is missing', 'Int!', undefined, ['v: Required.']],
    ['that is null', 'Int!', null, ['v: Must not be null.']],
    ['of another type', 'Int', 'x', [`v: ${INT}`]],
    ['that is too large', 'Int', 2 ** 31, [`v: ${INT}`]],
    ['that is no number', 'Float', '1', ['v: Must be a number.']],
    ['that is no string', 'String', 1, ['v: Must be a string.']],
    ['that is no ID', 'ID', 1.5, ['v: Must be a string.']],
    ['that is neither true nor false', 'Boolean', 'yes', ['v: Must be true or false.']],
    ['of no value of an enum', 'Kind', 'THIRD', [`v: ${KINDS}`]],
    ['with wrong items', '[Int!]', [1, null, 'x'], ['v[1]: Must not be null.', `v[2]: ${INT}`]],
    ['that is no object', 'Input!', 'x', ['v: Must be an object with fields of Input.']],
    ['that is a list', 'Input!', [{ title: 'a' }], ['v: Must be an object with fields of Input.']],
    [
      'with wrong fields',
      'Input!',
      { inner: { count: 'x', more: 1 }, kinds: ['FIRST', 'x'], extra: 1 },
      [
        'title: Required.',
        `inner.count: ${INT}`,
        'inner.more: Unknown field. Fields of Inner: count.',
        `kinds[1]: ${KINDS}`,
        'extra: Unknown field. Fields of Input: title, inner, kinds, note.',
      ],
    ],
    [
      'with a field of the prototype',
      'Input!',
      JSON.parse('{"title":"a","__proto__":1}'),
      ['__proto__: Unknown field. Fields of Input: title, inner, kinds, note.'],
    ],
  ])('%s is refused', (_name, definition, value, expected) => {
    expect(violationsOf(definition, value)).toEqual(expected);
  });
});

test('a description lists nothing of a schema that is not public', () => {
  const value = { title: 'a', inner: { count: 1, more: 1 }, kinds: ['THIRD'], extra: 1 };
  expect(violationsOf('Input!', value, false)).toEqual([
    'inner.more: Unknown field.',
    'kinds[0]: Must be a value of the correct type.',
    'extra: Unknown field.',
  ]);
});
