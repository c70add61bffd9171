import { ApolloClient, CombinedGraphQLErrors, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { Client, fetchExchange } from '@urql/core';
import { ClientError, GraphQLClient } from 'graphql-request';
import { describe, expect, test } from 'vitest';
import { useGateway, useTenant } from '../../support/gateway.ts';

const gateway = useGateway();
const tenant = useTenant(gateway);

/** What a client makes of a response. */
type Outcome = { readonly data: unknown; readonly codes: readonly unknown[] };

type Read = (url: string, query: string, fetchFn: typeof fetch) => Promise<Outcome>;

type Errors = readonly { readonly extensions?: Readonly<Record<string, unknown>> }[] | undefined;

function outcome(data: unknown, errors: Errors = []): Outcome {
  return { data, codes: errors.map(({ extensions }) => extensions?.['code']) };
}

const CLIENTS: Readonly<Record<string, Read>> = {
  async 'Apollo Client'(uri, query, fetchFn) {
    const link = new HttpLink({ uri, fetch: fetchFn });
    const client = new ApolloClient({ link, cache: new InMemoryCache() });
    const { data, error } = await client.query({ query: gql(query), errorPolicy: 'all' });
    return outcome(data, CombinedGraphQLErrors.is(error) ? error.errors : undefined);
  },

  async urql(url, query, fetchFn) {
    const client = new Client({ url, fetch: fetchFn, preferGetMethod: false, exchanges: [fetchExchange] });
    const { data, error } = await client.query(query, {});
    return outcome(data, error?.graphQLErrors);
  },

  async 'graphql-request'(url, query, fetchFn) {
    const client = new GraphQLClient(url, { fetch: fetchFn });
    const thrown = await client.request(query).catch((error) => error);
    if (!(thrown instanceof ClientError)) throw thrown;
    return outcome(thrown.response.data, thrown.response.errors);
  },
};

describe.each(Object.entries(CLIENTS))('%s reads the response', (_name, read) => {
  test.each([
    [
      'with data and an error',
      '{ projects { totalCount } node(id: "nonsense") { id } }',
      294,
      'BAD_USER_INPUT',
    ],
    ['to a document that does not validate', '{ nothing }', 422, 'GRAPHQL_VALIDATION_FAILED'],
  ])('%s', async (_what, query, status, code) => {
    const statuses: number[] = [];
    const authorized: typeof fetch = async (input, init) => {
      const headers = new Headers(init?.headers);
      headers.set('authorization', `Bearer ${tenant.token}`);
      const response = await fetch(input, { ...init, headers });
      statuses.push(response.status);
      return response;
    };
    const { data, codes } = await read(`${gateway.url}/graphql`, query, authorized);
    expect({ statuses, codes }).toEqual({ statuses: [status], codes: [code] });
    if (status === 294) expect(data).toMatchObject({ projects: { totalCount: 1 }, node: null });
  });
});
