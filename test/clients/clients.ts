import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ApolloLink } from '@apollo/client';
import { fetchExchange, Client as UrqlClient } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import { buildSchema, type ExecutionResult, introspectionFromSchema } from 'graphql';
import { createClient, NetworkError } from 'graphql-http';
import { ClientError, GraphQLClient } from 'graphql-request';
import { afterEach, beforeEach, expect, vi } from 'vitest';

// Apollo Client prints warnings only in development. It reads `__DEV__` once, at import.
Object.assign(globalThis, { __DEV__: true });
const { ApolloClient, CombinedGraphQLErrors, gql, HttpLink, InMemoryCache } = await import('@apollo/client');
const { PersistedQueryLink } = await import('@apollo/client/link/persisted-queries');
const { relayStylePagination } = await import('@apollo/client/utilities');
Reflect.deleteProperty(globalThis, '__DEV__');

const published = readFileSync(new URL('../../schema/published/paw.graphql', import.meta.url), 'utf8');

/** The data and the errors of an operation, as a client returns them. */
type Outcome = {
  // biome-ignore lint/suspicious/noExplicitAny: the tests check the values
  readonly data?: any;
  readonly errors: readonly {
    readonly message: string;
    readonly extensions?: Readonly<Record<string, unknown>> | undefined;
  }[];
};

/** Sends an operation. */
type Ask = (document: string, variables: Record<string, unknown>) => Promise<Outcome>;

/** A client with or without a token. */
type Connect = (url: string, token: string | undefined) => Ask;

/** The GraphQL clients, by name. */
export const CLIENTS: Readonly<Record<string, Connect>> = {
  'Apollo Client': (url, token) => apolloAsk(apolloLink(url, token)),
  'Apollo Client with persisted queries': (url, token) => apolloAsk(persisted(apolloLink(url, token))),
  urql(url, token) {
    const client = urqlClient(url, token);
    return async (document, variables) => {
      const send = isMutation(document) ? client.mutation : client.query;
      const { data, error } = await send.call(client, document, variables);
      if (error?.networkError) throw error.networkError;
      return { data, errors: error?.graphQLErrors ?? [] };
    };
  },
  'graphql-http'(url, token) {
    const client = createClient({ url: `${url}/graphql`, headers: bearer(token) });
    return async (query, variables) => {
      const sent = new Promise<ExecutionResult>((resolve, reject) => {
        client.subscribe({ query, variables }, { next: resolve, error: reject, complete() {} });
      });
      const { data, errors = [] } = await sent.catch((error: unknown) => {
        // The client does not read a response whose status is not 2xx. Its error is in the body of the response.
        if (!(error instanceof NetworkError) || !(error.response instanceof Response)) throw error;
        return error.response.json() as Promise<ExecutionResult>;
      });
      return { data, errors };
    };
  },
  'graphql-request'(url, token) {
    const client = new GraphQLClient(`${url}/graphql`, { headers: bearer(token) });
    return async (document, variables) => {
      try {
        return { data: await client.request(document, variables), errors: [] };
      } catch (error) {
        if (!(error instanceof ClientError)) throw error;
        return { errors: error.response.errors ?? [] };
      }
    };
  },
};

function apolloAsk(link: ApolloLink): Ask {
  const client = apolloClient(link);
  return async (document, variables) => {
    try {
      const { data } = isMutation(document)
        ? await client.mutate({ mutation: gql(document), variables })
        : await client.query({ query: gql(document), variables });
      return { data, errors: [] };
    } catch (error) {
      if (!CombinedGraphQLErrors.is(error)) throw error;
      return { errors: error.errors };
    }
  };
}

/** An Apollo Client whose cache merges the pages of projects. */
export function apolloClient(link: ApolloLink) {
  const cache = new InMemoryCache({
    typePolicies: { Query: { fields: { projects: relayStylePagination() } } },
  });
  return new ApolloClient({ link, cache });
}

/** A request that Apollo Client sent, and the error code of its response. */
export type Sent = { method: string | undefined; text?: string; hash?: string; code?: string };

/** Returns a link of Apollo Client to the gateway, which records its requests in `sent`. */
export function apolloLink(url: string, token: string | undefined, sent: Sent[] = []): ApolloLink {
  return new HttpLink({
    uri: `${url}/graphql`,
    headers: bearer(token),
    async fetch(target, init) {
      const response = await fetch(target, init);
      const { method, body } = init ?? {};
      const query = Object.fromEntries(new URL(String(target)).searchParams);
      const request = method === 'GET' ? query : JSON.parse(String(body));
      const { persistedQuery } = method === 'GET' ? JSON.parse(request.extensions ?? '') : request.extensions;
      const { errors = [] } = JSON.parse(await response.clone().text());
      sent.push({
        method,
        text: request.query,
        hash: persistedQuery?.sha256Hash,
        code: errors[0]?.extensions.code,
      });
      return response;
    },
  });
}

/** Returns a link that sends the hash of a document in place of its text. */
export function persisted(link: ApolloLink): ApolloLink {
  return new PersistedQueryLink({ sha256, useGETForHashedQueries: true }).concat(link);
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A client of urql with Graphcache. */
export function urqlClient(url: string, token: string | undefined, onRequest = () => {}): UrqlClient {
  const cache = cacheExchange({
    schema: introspectionFromSchema(buildSchema(published)),
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
  });
  return new UrqlClient({
    url: `${url}/graphql`,
    fetchOptions: { headers: bearer(token) },
    fetch(...request) {
      onRequest();
      return fetch(...request);
    },
    exchanges: [cache, fetchExchange],
  });
}

function isMutation(document: string): boolean {
  return document.startsWith('mutation');
}

function bearer(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

/** Fails each test that writes to the console or causes a process warning. */
export function expectSilence(): void {
  const heard: unknown[] = [];
  const hear = (...words: unknown[]) => {
    heard.push(words);
  };
  beforeEach(() => {
    process.on('warning', hear);
    for (const method of ['debug', 'info', 'log', 'warn', 'error'] as const) {
      vi.spyOn(console, method).mockImplementation(hear);
    }
  });
  afterEach(() => {
    process.off('warning', hear);
    vi.restoreAllMocks();
    expect(heard.splice(0)).toEqual([]);
  });
}
