import { gql } from '@apollo/client';
import { filter, firstValueFrom, map, shareReplay } from 'rxjs';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Gateway, seedTenant, startGateway, type Tenant } from '../support/gateway.ts';
import {
  apolloClient,
  apolloLink,
  CLIENTS,
  expectSilence,
  persisted,
  type Sent,
  sha256,
  urqlClient,
} from './clients.ts';

const PROJECTS = `query Projects($first: Int, $after: String) {
  projects(first: $first, after: $after) {
    edges { cursor node { id title } }
    pageInfo { hasNextPage endCursor }
    totalCount
  }
}`;
const PROJECT = 'query Project($id: ID!) { node(id: $id) { id ... on Project { title } } }';
const WALLET = 'query Wallet($id: ID!) { node(id: $id) { id ... on Wallet { title } } }';
const UPDATE_WALLET = `mutation UpdateWallet($input: UpdateWalletInput!) {
  updateWallet(input: $input) { wallet { id title } clientMutationId }
}`;
const CREATE_APP = `mutation CreateApp($input: CreateAppInput!) {
  createApp(input: $input) { app { id title active privateKey } }
}`;
const SIGN_IN = `mutation SignIn($input: SignInInput!) {
  signIn(input: $input) { accessToken app { id privateKey } }
}`;

type Listed = {
  readonly projects: {
    readonly edges: readonly { readonly node: { readonly id: string } }[];
    readonly pageInfo: { readonly endCursor: string | null };
  };
};
type Found = { readonly node: { readonly id: string; readonly title: string } };

let gateway: Gateway;
let tenant: Tenant;

beforeAll(async () => {
  gateway = await startGateway();
  tenant = await seedTenant(gateway, { projects: 25, wallets: 1 });
  return gateway.stop;
});

expectSilence();

/** What a list shows after the first pages of 10 projects, which a cache has merged. */
function listOf(length: number) {
  const edges = tenant.projects.slice(0, length).map((id) => ({ node: { id } }));
  return { edges, totalCount: 25, pageInfo: { hasNextPage: length < 25 } };
}

describe.each(Object.entries(CLIENTS))('%s', (_, connect) => {
  test('creates an app, and signs in to get a token for the project of the app only', async () => {
    const account = connect(gateway.url, tenant.token);
    const input = { title: 'Till', active: true };
    const { app } = (await account(CREATE_APP, { input })).data.createApp;
    expect(app).toMatchObject(input);
    const { id, privateKey } = app;
    const { signIn } = (await account(SIGN_IN, { input: { name: id, privateKey } })).data;
    expect(signIn).toMatchObject({ app: { id, privateKey: '' } });

    const signedIn = connect(gateway.url, signIn.accessToken);
    const { projects } = (await signedIn(PROJECTS, { first: 10 })).data;
    expect(projects).toMatchObject({ edges: [{ node: { id: tenant.projects[0] } }], totalCount: 1 });
    const { errors } = await signedIn(CREATE_APP, { input });
    expect(errors.map(({ extensions }) => extensions?.['code'])).toEqual(['FORBIDDEN']);
  });

  const invalid = { code: 'BAD_USER_INPUT', status: 'INVALID_ARGUMENT', reason: 'INVALID_FIELD' };
  test.each([
    {
      error: 'a field that breaks its rule',
      document: UPDATE_WALLET,
      variables: () => ({ input: { name: tenant.wallets[0], title: '' } }),
      extensions: { ...invalid, fieldViolations: [{ field: 'title', description: expect.any(String) }] },
    },
    {
      error: 'a variable of the wrong type',
      document: PROJECTS,
      variables: () => ({ first: 'ten' }),
      extensions: { ...invalid, fieldViolations: [{ field: 'first', description: expect.any(String) }] },
    },
    {
      error: 'a query with a bad token',
      token: 'paw_acct_bad',
      document: PROJECTS,
      variables: () => ({}),
      extensions: { code: 'UNAUTHENTICATED', status: 'UNAUTHENTICATED', reason: 'TOKEN_INVALID' },
    },
  ])('can read the error of $error', async ({ token, document, variables, extensions }) => {
    const { errors } = await connect(gateway.url, token ?? tenant.token)(document, variables());
    expect(errors).toEqual([
      expect.objectContaining({
        message: expect.stringMatching(/\w/),
        extensions: { ...extensions, requestId: expect.any(String) },
      }),
    ]);
  });
});

describe('Apollo Client', () => {
  test('pages with fetchMore to the end of 25 projects, and its cache merges the pages', async () => {
    const client = apolloClient(apolloLink(gateway.url, tenant.token));
    const query = gql(PROJECTS);
    const watched = client.watchQuery<Listed>({ query, variables: { first: 10 } });
    await watched.refetch();
    for (const length of [10, 20, 25]) {
      const list = client.readQuery<Listed>({ query })?.projects;
      expect(list).toMatchObject(listOf(length));
      if (length < 25) await watched.fetchMore({ variables: { after: list?.pageInfo.endCursor } });
    }
    expect(watched.getCurrentResult().data?.projects?.edges).toHaveLength(25);
    client.stop();
  });

  test('updates a watched query after updateWallet, without a further request', async () => {
    const [name = ''] = tenant.wallets;
    const sent: Sent[] = [];
    const client = apolloClient(apolloLink(gateway.url, tenant.token, sent));
    const titles = client.watchQuery<Found>({ query: gql(WALLET), variables: { id: name } }).pipe(
      filter((result) => result.dataState === 'complete'),
      map(({ data }) => data.node.title),
      shareReplay(1),
    );
    const old = await firstValueFrom(titles);
    const title = `${old}, renamed`;
    await client.mutate({ mutation: gql(UPDATE_WALLET), variables: { input: { name, title } } });
    expect(await firstValueFrom(titles.pipe(filter((shown) => shown !== old)))).toBe(title);
    expect(sent).toHaveLength(2);
    client.stop();
  });

  test('sends the text of a persisted query once, and later only its hash by GET', async () => {
    const sent: Sent[] = [];
    const query = gql`query Persisted($first: Int) { projects(first: $first) { totalCount } }`;
    // The second client shares no cache with the first.
    for (const first of [1, 2]) {
      const client = apolloClient(persisted(apolloLink(gateway.url, tenant.token, sent)));
      const { data } = await client.query({ query, variables: { first } });
      expect(data).toMatchObject({ projects: { totalCount: 25 } });
    }
    const text = sent[1]?.text ?? '';
    const hash = sha256(text);
    expect(text).toContain('query Persisted(');
    expect(sent).toEqual([
      { method: 'GET', hash, code: 'PERSISTED_QUERY_NOT_FOUND' },
      { method: 'POST', hash, text },
      { method: 'GET', hash },
    ]);
  });

  test('sends a persisted mutation only by POST, and its text once', async () => {
    const sent: Sent[] = [];
    const mutation = gql(UPDATE_WALLET.replace('UpdateWallet(', 'Persisted('));
    const client = apolloClient(persisted(apolloLink(gateway.url, tenant.token, sent)));
    for (const clientMutationId of ['1', '2']) {
      const variables = { input: { name: tenant.wallets[0], clientMutationId } };
      const { data } = await client.mutate({ mutation, variables });
      expect(data).toMatchObject({ updateWallet: { clientMutationId } });
    }
    const text = sent[1]?.text ?? '';
    const hash = sha256(text);
    expect(text).toContain('mutation Persisted(');
    expect(sent).toEqual([
      { method: 'POST', hash, code: 'PERSISTED_QUERY_NOT_FOUND' },
      { method: 'POST', hash, text },
      { method: 'POST', hash },
    ]);
  });
});

describe('urql with Graphcache', () => {
  test('pages to the end of 25 projects, merges the pages, and finds each project by its id', async () => {
    let requests = 0;
    const client = urqlClient(gateway.url, tenant.token, () => {
      requests += 1;
    });
    let after: string | null | undefined = null;
    for (const length of [10, 20, 25]) {
      const { data } = await client.query<Listed>(PROJECTS, { first: 10, after }).toPromise();
      expect(data?.projects).toMatchObject(listOf(length));
      after = data?.projects.pageInfo.endCursor;
    }
    for (const id of tenant.projects) {
      const { data } = await client.query<Found>(PROJECT, { id });
      expect(data).toMatchObject({ node: { id, title: expect.any(String) } });
    }
    expect(requests).toBe(3);
  });

  test('updates a watched query after updateWallet, without a further request', async () => {
    const [name = ''] = tenant.wallets;
    let requests = 0;
    const client = urqlClient(gateway.url, tenant.token, () => {
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
