import graphql from '@graphql-eslint/eslint-plugin';

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
      // Three of the four operations change something.
      '@graphql-eslint/no-root-type': ['error', { disallow: ['subscription'] }],
      // Relay's types stand for a place in a list, or for an answer, and have no identity.
      '@graphql-eslint/strict-id-in-types': [
        'error',
        { exceptions: { types: ['PageInfo'], suffixes: ['Connection', 'Edge', 'Payload'] } },
      ],
      // `nodes`, of a connection and of the query, lists objects without cursors.
      '@graphql-eslint/relay-edge-types': ['error', { listTypeCanWrapOnlyEdgeType: false }],
      // What belongs together stands together: the name first, `first` beside `after`.
      '@graphql-eslint/alphabetize': 'off',
      // A description of one line is a string, and a longer one a block.
      '@graphql-eslint/description-style': 'off',
      // The specification has the misspelt network for good.
      '@graphql-eslint/require-deprecation-date': 'off',
      // A query within the answer to `signIn` would go by the token of the caller, not by the new one.
      '@graphql-eslint/require-field-of-type-query-in-mutation-result': 'off',
    },
  },
];
