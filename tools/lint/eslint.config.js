import graphql from '@graphql-eslint/eslint-plugin';
import parser from '@typescript-eslint/parser';
import regexp from 'eslint-plugin-regexp';

const SCHEMA = 'schema/*.graphql';

export default [
  {
    files: [SCHEMA],
    plugins: { '@graphql-eslint': graphql },
    languageOptions: {
      parser: graphql.parser,
      parserOptions: { graphQLConfig: { schema: SCHEMA } },
    },
    rules: {
      ...graphql.configs['flat/schema-all'].rules,
      ...graphql.configs['flat/schema-relay'].rules,
      // Three of the four operations are mutations.
      '@graphql-eslint/no-root-type': ['error', { disallow: ['subscription'] }],
      // Relay's connection, edge and payload types have no identity. The viewer can't be refetched by one.
      '@graphql-eslint/strict-id-in-types': [
        'error',
        {
          exceptions: {
            types: ['AddressesLeft', 'PageInfo', 'Viewer'],
            suffixes: ['Connection', 'Edge', 'Payload'],
          },
        },
      ],
      // docs/conformance.md has the reasons.
      '@graphql-eslint/relay-edge-types': [
        'error',
        { listTypeCanWrapOnlyEdgeType: false, shouldImplementNode: false },
      ],
      // Related fields are kept together: the name is first, and `first` is next to `after`.
      '@graphql-eslint/alphabetize': 'off',
      // A description of one line is a string. A longer one is a block string.
      '@graphql-eslint/description-style': 'off',
      // The specification keeps the misspelt network, so it has no removal date.
      '@graphql-eslint/require-deprecation-date': 'off',
      // A query in the payload of `signIn` would use the token of the caller, not the new token.
      '@graphql-eslint/require-field-of-type-query-in-mutation-result': 'off',
    },
  },
  {
    files: ['src/**/*.{js,ts,tsx}', 'console/**/*.{js,ts,tsx}'],
    plugins: { regexp },
    languageOptions: { parser, parserOptions: { ecmaFeatures: { jsx: true } } },
    rules: {
      // Clients send text of many kilobytes. The time of a regular expression has to be linear in its length.
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential', ignoreSticky: false }],
    },
  },
  {
    files: ['src/**/*.{js,ts,tsx}', 'console/**/*.{js,ts,tsx}'],
    ignores: ['**/generated/**'],
    languageOptions: { parser, parserOptions: { ecmaFeatures: { jsx: true } } },
    // Comments and empty lines count, as they do for the reader.
    rules: { 'max-lines': ['error', 300], 'max-lines-per-function': ['error', 60] },
  },
];
