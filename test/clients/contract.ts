import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Tenant } from '../support/gateway.ts';

export const PROJECTS = `query Projects($first: Int, $after: String) {
  projects(first: $first, after: $after) {
    edges { cursor node { id title } }
    pageInfo { hasNextPage endCursor }
    totalCount
  }
}`;
export const PROJECT = 'query Project($id: ID!) { node(id: $id) { id ... on Project { title } } }';
export const WALLET = 'query Wallet($id: ID!) { node(id: $id) { id ... on Wallet { title description } } }';
export const UPDATE_WALLET = `mutation UpdateWallet($input: UpdateWalletInput!) {
  updateWallet(input: $input) { wallet { id title description network project { id } } }
}`;
const CREATE_APP = `mutation CreateApp($input: CreateAppInput!) {
  createApp(input: $input) { app { id title active privateKey } }
}`;
const SIGN_IN = `mutation SignIn($input: SignInInput!) {
  signIn(input: $input) { accessToken app { id privateKey } }
}`;

export type Listed = {
  readonly projects: {
    readonly edges: readonly { readonly cursor: string; readonly node: { readonly id: string } }[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
    readonly totalCount: number;
  };
};
export type Found = { readonly node: { readonly id: string; readonly title: string } };
type Created = { readonly createApp: { readonly app: { readonly id: string; readonly privateKey: string } } };
type SignedIn = { readonly signIn: { readonly accessToken: string } };

/** The data and the errors of an operation, as a client returns them. */
export type Outcome<Data> = {
  readonly data: Data | undefined;
  readonly errors: readonly {
    readonly message: string;
    readonly extensions?: Readonly<Record<string, unknown>> | undefined;
  }[];
};

type Ask = <Data>(document: string, variables?: Record<string, unknown>) => Promise<Outcome<Data>>;

/** A GraphQL client with or without a token. */
export type Client = { readonly query: Ask; readonly mutate: Ask };

/** The headers that a client with a token sends. */
export function bearer(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

/** Declares the tests that every client has to pass. */
export function keepsTheContract(connect: (token: string | undefined) => Client, tenant: () => Tenant): void {
  test('creates an app, and signs in to get a token for the project of the app only', async () => {
    const account = connect(tenant().token);
    const input = { title: 'Till', active: true };
    const created = dataOf(await account.mutate<Created>(CREATE_APP, { input }));
    const { id, privateKey } = created.createApp.app;
    expect(created).toMatchObject({ createApp: { app: { title: 'Till', active: true } } });

    const signedIn = dataOf(await account.mutate<SignedIn>(SIGN_IN, { input: { name: id, privateKey } }));
    expect(signedIn).toMatchObject({ signIn: { app: { id, privateKey: '' } } });

    const app = connect(signedIn.signIn.accessToken);
    expect(await pagesOf(app, 10)).toEqual([tenant().projects.slice(0, 1)]);
    const { errors } = await app.mutate(CREATE_APP, { input });
    expect(errors.map(({ extensions }) => extensions?.['code'])).toEqual(['FORBIDDEN']);
  });

  test('changes only the wallet fields that it sends', async () => {
    const [name] = tenant().wallets;
    const [id] = tenant().projects;
    const client = connect(tenant().token);
    await client.mutate(UPDATE_WALLET, { input: { name, title: 'Treasury', description: 'Cold' } });
    const { data, errors } = await client.mutate(UPDATE_WALLET, { input: { name, description: '' } });
    expect(errors).toEqual([]);
    const wallet = { id: name, title: 'Treasury', description: '', network: 'NETWORK_ETHEREUM' };
    expect(data).toMatchObject({ updateWallet: { wallet: { ...wallet, project: { id } } } });
  });

  describe('can read the error of', () => {
    const unauthenticated = { code: 'UNAUTHENTICATED', status: 'UNAUTHENTICATED' };
    const invalid = (...fields: string[]) => ({
      code: 'BAD_USER_INPUT',
      status: 'INVALID_ARGUMENT',
      reason: 'INVALID_FIELD',
      fieldViolations: fields.map((field) => ({ field, description: expect.stringMatching(/\w/) })),
    });
    const wallet = (fields: object) => ({ input: { name: tenant().wallets[0], ...fields } });
    const missing = { name: 'wallets/01ARZ3NDEKTSV4RRFFQ69G5FAV' };

    test.each<[string, () => Promise<Outcome<unknown>>, object]>([
      [
        'two fields that break their rules',
        () => connect(tenant().token).mutate(UPDATE_WALLET, wallet({ title: '', password: 'short' })),
        invalid('title', 'password'),
      ],
      [
        'an argument out of its range',
        () => connect(tenant().token).query(PROJECTS, { first: 101 }),
        invalid('first'),
      ],
      [
        'a variable of the wrong type',
        () => connect(tenant().token).query(PROJECTS, { first: 'ten' }),
        invalid('first'),
      ],
      [
        'a wallet that is missing',
        () => connect(tenant().token).mutate(UPDATE_WALLET, wallet(missing)),
        { code: 'NOT_FOUND', status: 'NOT_FOUND', reason: 'RESOURCE_NOT_FOUND' },
      ],
      [
        'a query with a bad token',
        () => connect('paw_acct_bad').query(PROJECTS),
        { ...unauthenticated, reason: 'TOKEN_INVALID' },
      ],
      [
        'a mutation with a bad token',
        () => connect('paw_acct_bad').mutate(UPDATE_WALLET, wallet({})),
        { ...unauthenticated, reason: 'TOKEN_INVALID' },
      ],
      [
        'a mutation without a token',
        () => connect(undefined).mutate(UPDATE_WALLET, wallet({})),
        { ...unauthenticated, reason: 'TOKEN_MISSING' },
      ],
    ])('%s', async (_, ask, extensions) => {
      const { errors } = await ask();
      expect(errors).toEqual([
        expect.objectContaining({
          message: expect.stringMatching(/\w/),
          extensions: { ...extensions, requestId: expect.any(String) },
        }),
      ]);
    });
  });
}

/** Reads the ids of all projects, page by page, for a client without its own paging. */
export async function pagesOf({ query }: Client, first: number): Promise<string[][]> {
  const pages: string[][] = [];
  let more = true;
  let after: string | null = null;
  while (more) {
    const { projects }: Listed = dataOf(await query<Listed>(PROJECTS, { first, after }));
    pages.push(projects.edges.map(({ node }) => node.id));
    more = projects.pageInfo.hasNextPage;
    after = projects.pageInfo.endCursor;
  }
  return pages;
}

/** Returns the data of an operation, or throws if it failed. */
export function dataOf<Data>({ data, errors }: Outcome<Data>): Data {
  if (data === undefined) throw new Error(JSON.stringify(errors));
  return data;
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
