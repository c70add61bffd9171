import { createHash } from 'node:crypto';
import type { ApolloLink } from '@apollo/client';
import { filter, firstValueFrom, map, shareReplay } from 'rxjs';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Gateway, seedTenant, startGateway, type Tenant } from '../support/gateway.ts';
import {
  bearer,
  type Client,
  expectSilence,
  type Found,
  keepsTheContract,
  type Listed,
  type Outcome,
  PROJECTS,
  UPDATE_WALLET,
  WALLET,
} from './contract.ts';

// Apollo Client prints warnings only in development. It reads `__DEV__` once, at import.
Object.assign(globalThis, { __DEV__: true });
const { ApolloClient, CombinedGraphQLErrors, gql, HttpLink, InMemoryCache } = await import('@apollo/client');
const { PersistedQueryLink } = await import('@apollo/client/link/persisted-queries');
const { relayStylePagination } = await import('@apollo/client/utilities');
Reflect.deleteProperty(globalThis, '__DEV__');

/** A sent request, and the error code of its response. */
type Sent = { method: string | undefined; text?: string; hash?: string; code?: string };

let gateway: Gateway;
let tenant: Tenant;

beforeAll(async () => {
  gateway = await startGateway();
  tenant = await seedTenant(gateway, { projects: 25, wallets: 1 });
  return gateway.stop;
});

expectSilence();

describe('Apollo Client', () => {
  keepsTheContract(
    (token) => asClient(clientOn(http(token))),
    () => tenant,
  );

  test('pages with fetchMore to the end of 25 projects, and its cache merges the pages', async () => {
    const client = clientOn(http(tenant.token));
    const query = gql(PROJECTS);
    const watched = client.watchQuery<Listed>({ query, variables: { first: 10 } });
    await watched.refetch();
    for (const length of [10, 20, 25]) {
      const list = client.readQuery<Listed>({ query })?.projects;
      expect(list?.edges.map(({ node }) => node.id)).toEqual(tenant.projects.slice(0, length));
      expect(list).toMatchObject({ totalCount: 25, pageInfo: { hasNextPage: length < 25 } });
      if (length < 25) await watched.fetchMore({ variables: { after: list?.pageInfo.endCursor } });
    }
    expect(watched.getCurrentResult().data?.projects?.edges).toHaveLength(25);
    const entries = tenant.projects.map((id) => [`Project:${id}`, { __typename: 'Project', id }]);
    expect(client.extract()).toMatchObject(Object.fromEntries(entries));
    client.stop();
  });

  test('updates a watched query after updateWallet, without a further request', async () => {
    const [name = ''] = tenant.wallets;
    const sent: Sent[] = [];
    const client = clientOn(http(tenant.token, sent));
    const titles = client.watchQuery<Found>({ query: gql(WALLET), variables: { id: name } }).pipe(
      filter((result) => result.dataState === 'complete'),
      map(({ data }) => data.node.title),
      shareReplay(1),
    );
    const old = await firstValueFrom(titles);
    const title = `${old}, renamed`;
    await client.mutate({ mutation: gql(UPDATE_WALLET), variables: { input: { name, title } } });
    expect(await firstValueFrom(titles.pipe(filter((shown) => shown !== old)))).toBe(title);
    expect(client.extract()).toMatchObject({ [`Wallet:${name}`]: { __typename: 'Wallet', id: name, title } });
    expect(sent).toHaveLength(2);
    client.stop();
  });
});

describe('Apollo Client with persisted queries', () => {
  keepsTheContract(
    (token) => asClient(clientOn(persisted(http(token)))),
    () => tenant,
  );

  test('sends the text of a query once, and later only its hash by GET', async () => {
    const sent: Sent[] = [];
    const query = gql`query Persisted($first: Int) { projects(first: $first) { totalCount } }`;
    // The second client shares no cache with the first.
    for (const first of [1, 2]) {
      const client = clientOn(persisted(http(tenant.token, sent)));
      const { data } = await client.query({ query, variables: { first } });
      expect(data).toMatchObject({ projects: { totalCount: 25 } });
    }
    const text = sent[1]?.text ?? '';
    expect(text).toContain('query Persisted(');
    const hash = sha256(text);
    expect(sent).toEqual([
      { method: 'GET', hash, code: 'PERSISTED_QUERY_NOT_FOUND' },
      { method: 'POST', hash, text },
      { method: 'GET', hash },
    ]);
  });

  test('sends a mutation only by POST, and its text once', async () => {
    const sent: Sent[] = [];
    const mutation = gql`mutation Persisted($input: UpdateWalletInput!) {
      updateWallet(input: $input) { clientMutationId }
    }`;
    const client = clientOn(persisted(http(tenant.token, sent)));
    for (const title of ['Once', 'Twice']) {
      const input = { name: tenant.wallets[0], title, clientMutationId: title };
      const { data } = await client.mutate({ mutation, variables: { input } });
      expect(data).toMatchObject({ updateWallet: { clientMutationId: title } });
    }
    const text = sent[1]?.text ?? '';
    const hash = sha256(text);
    expect(sent).toEqual([
      { method: 'POST', hash, code: 'PERSISTED_QUERY_NOT_FOUND' },
      { method: 'POST', hash, text },
      { method: 'POST', hash },
    ]);
  });
});

function clientOn(link: ApolloLink) {
  const cache = new InMemoryCache({
    typePolicies: { Query: { fields: { projects: relayStylePagination() } } },
  });
  return new ApolloClient({ link, cache });
}

/** Returns a link to the gateway that records its requests in `sent`. */
function http(token: string | undefined, sent: Sent[] = []): ApolloLink {
  return new HttpLink({
    uri: `${gateway.url}/graphql`,
    headers: bearer(token),
    async fetch(url, init) {
      const response = await fetch(url, init);
      const { method } = init ?? {};
      const { searchParams } = new URL(String(url));
      const { query, extensions } =
        method === 'GET'
          ? { query: searchParams.get('query'), extensions: JSON.parse(searchParams.get('extensions') ?? '') }
          : JSON.parse(String(init?.body));
      const { errors = [] } = JSON.parse(await response.clone().text());
      sent.push({
        method,
        text: query ?? undefined,
        hash: extensions.persistedQuery?.sha256Hash,
        code: errors[0]?.extensions.code,
      });
      return response;
    },
  });
}

function persisted(link: ApolloLink): ApolloLink {
  return new PersistedQueryLink({ sha256, useGETForHashedQueries: true }).concat(link);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function asClient(client: ReturnType<typeof clientOn>): Client {
  async function outcomeOf<Data>(answer: Promise<{ data?: Data | undefined }>): Promise<Outcome<Data>> {
    try {
      return { data: (await answer).data, errors: [] };
    } catch (error) {
      if (!CombinedGraphQLErrors.is(error)) throw error;
      return { data: undefined, errors: error.errors };
    }
  }
  return {
    query: <Data>(document: string, variables = {}) =>
      outcomeOf(client.query<Data>({ query: gql(document), variables })),
    mutate: <Data>(document: string, variables = {}) =>
      outcomeOf(client.mutate<Data>({ mutation: gql(document), variables })),
  };
}
