import {
  fetchExchange,
  type OperationResult,
  type OperationResultSource,
  Client as UrqlClient,
} from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import { getIntrospectionQuery, type IntrospectionQuery } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { postGraphql } from '../support/apis.ts';
import { type Gateway, seedTenant, startGateway, type Tenant } from '../support/gateway.ts';
import {
  bearer,
  type Client,
  expectSilence,
  type Found,
  keepsTheContract,
  type Listed,
  type Outcome,
  PROJECT,
  PROJECTS,
  UPDATE_WALLET,
  WALLET,
} from './contract.ts';

let gateway: Gateway;
let tenant: Tenant;
let schema: IntrospectionQuery;

beforeAll(async () => {
  gateway = await startGateway();
  tenant = await seedTenant(gateway, { projects: 25, wallets: 1 });
  schema = JSON.parse((await postGraphql(gateway.url, undefined, getIntrospectionQuery())).text).data;
  return gateway.stop;
});

expectSilence();

describe('urql with Graphcache', () => {
  keepsTheContract(
    (token) => asClient(connect(token)),
    () => tenant,
  );

  test('pages to the end of 25 projects, and its cache merges the pages', async () => {
    const client = connect(tenant.token);
    let after: string | null = null;
    for (const length of [10, 20, 25]) {
      const { data }: OperationResult<Listed> = await client.query<Listed>(PROJECTS, { first: 10, after });
      expect(data?.projects.edges.map(({ node }) => node.id)).toEqual(tenant.projects.slice(0, length));
      expect(data?.projects).toMatchObject({ totalCount: 25, pageInfo: { hasNextPage: length < 25 } });
      after = data?.projects.pageInfo.endCursor ?? null;
    }
  });

  test('finds each project of a list in its cache by its id', async () => {
    let requests = 0;
    const client = connect(tenant.token, () => {
      requests += 1;
    });
    await client.query(PROJECTS, { first: 25 });
    for (const id of tenant.projects) {
      const { data } = await client.query<Found>(PROJECT, { id });
      expect(data).toMatchObject({ node: { id, title: expect.any(String) } });
    }
    expect(requests).toBe(1);
  });

  test('updates a watched query after updateWallet, without a further request', async () => {
    const [name = ''] = tenant.wallets;
    let requests = 0;
    const client = connect(tenant.token, () => {
      requests += 1;
    });
    const titles: string[] = [];
    let shown = Promise.withResolvers<void>();
    const watching = client.query<Found>(WALLET, { id: name }).subscribe(({ data }) => {
      titles.push(data?.node.title ?? '');
      shown.resolve();
    });
    await shown.promise;
    shown = Promise.withResolvers();
    const title = `${titles[0]}, renamed`;
    await client.mutation(UPDATE_WALLET, { input: { name, title } });
    await shown.promise;
    expect(titles.slice(1)).toEqual([title]);
    expect(requests).toBe(2);
    watching.unsubscribe();
  });
});

function connect(token: string | undefined, onRequest = () => {}): UrqlClient {
  return new UrqlClient({
    url: `${gateway.url}/graphql`,
    fetchOptions: { headers: bearer(token) },
    fetch(...request) {
      onRequest();
      return fetch(...request);
    },
    exchanges: [
      cacheExchange({
        schema,
        resolvers: {
          Query: {
            projects: relayPagination(),
            // A resource name contains the type, so that an object can be found in the cache.
            node: (_, { id }) => ({
              __typename: String(id).startsWith('wallets/') ? 'Wallet' : 'Project',
              id: String(id),
            }),
          },
        },
      }),
      fetchExchange,
    ],
  });
}

function asClient(client: UrqlClient): Client {
  async function outcomeOf<Data>(
    result: OperationResultSource<OperationResult<Data>>,
  ): Promise<Outcome<Data>> {
    const { data, error } = await result;
    if (error?.networkError) throw error.networkError;
    return { data: data ?? undefined, errors: error?.graphQLErrors ?? [] };
  }
  return {
    query: <Data>(document: string, variables = {}) => outcomeOf(client.query<Data>(document, variables)),
    mutate: <Data>(document: string, variables = {}) => outcomeOf(client.mutation<Data>(document, variables)),
  };
}
