import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { components } from '../../src/rest/generated/openapi-types.ts';
import { expectDocumented } from './rest-contract.ts';

type Schemas = components['schemas'];

/** The result of an operation: its value or its error, and the HTTP response. */
export type Outcome<T> = {
  readonly value: T | undefined;
  readonly error: RefusedOutcome | undefined;
  readonly response: HttpResponse;
};

/** An error in a form that is common to both APIs. */
export type RefusedOutcome = {
  /** The canonical name, such as `INVALID_ARGUMENT`. */
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  /** The invalid fields, with their names in the data layer. */
  readonly fields: readonly string[];
  readonly requestId: string;
};

/** An HTTP response with its body. */
export type HttpResponse = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
};

/** Returns the challenge of a response, without the URL of the metadata; null if it has none. */
export function challengeOf({ headers }: Pick<HttpResponse, 'headers'>): string | null {
  return headers.get('www-authenticate')?.replace(/^(Bearer .*), resource_metadata="[^"]+"$/, '$1') ?? null;
}

export type AppFields = Schemas['App'];
export type SignInFields = Schemas['ProjectToken'];
export type WalletFields = Schemas['Wallet'];
export type ProjectFields = Schemas['Project'];
export type PageFields = Schemas['ProjectPage'];

/** The four operations by one of the two APIs. One test can run on both. */
export type Api = {
  readonly name: 'GraphQL' | 'REST';
  createApp(token: string | undefined, input: object): Promise<Outcome<AppFields>>;
  signIn(token: string | undefined, input: object): Promise<Outcome<SignInFields>>;
  updateWallet(token: string | undefined, wallet: string, input: object): Promise<Outcome<WalletFields>>;
  listProjects(
    token: string | undefined,
    input?: { first?: unknown; after?: unknown },
  ): Promise<Outcome<PageFields>>;
};

type Fields = Readonly<Record<string, string>>;

/** Both APIs of the gateway at `url()`, with further headers in each request. */
export function bothApis(url: () => string, headers: Fields = {}): readonly [Api, Api] {
  return [graphqlApi(url, headers), restApi(url, headers)];
}

/** Sends a GraphQL request and returns the response. */
export async function postGraphql(
  url: string,
  token: string | undefined,
  query: string,
  variables: object = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<HttpResponse> {
  return send(`${url}/graphql`, 'POST', token, { query, variables }, headers);
}

const REST_PATH = /^\/(auth|wallet|project)\//;

/**
 * Sends a request and reads the response. A response of the REST API must match the OpenAPI document.
 * An object is sent as JSON, and a string unchanged.
 */
export async function send(
  url: string,
  method: string,
  token?: string,
  body?: object | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<HttpResponse> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const read = { status: response.status, headers: response.headers, text: await response.text() };
  const { pathname } = new URL(url);
  if (REST_PATH.test(pathname)) expectDocumented(method, pathname, read);
  return read;
}

/** Reads the response to a `node:http` request, which can be one that `fetch` does not send. */
export async function readResponse(response: IncomingMessage): Promise<HttpResponse> {
  return {
    status: response.statusCode ?? 0,
    headers: new Headers(Object.entries(response.headers).map(([name, value]) => [name, String(value)])),
    text: await text(response),
  };
}

/** Returns the HTTP status of the readiness check. */
export async function readiness(url: string): Promise<number> {
  return (await send(`${url}/readyz`, 'GET')).status;
}

const APP = 'name title privateKey active';
const WALLET = 'name title description project { name } network address password';
const PROJECT = 'name title description imageCoverUrl imageCoverCid';

const CREATE_APP = mutationDocument('createApp', `app { ${APP} }`);
const SIGN_IN = mutationDocument('signIn', `accessToken app { ${APP} }`);
const UPDATE_WALLET = mutationDocument('updateWallet', `wallet { ${WALLET} }`);

/** Returns the document of a mutation, with its input as the variable `input`. */
export function mutationDocument(name: string, selection = 'clientMutationId'): string {
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input!`;
  return `mutation ($input: ${type}) { ${name}(input: $input) { ${selection} } }`;
}
const LIST_PROJECTS = `query ($first: Int, $after: String) {
  projects(first: $first, after: $after) { nodes { ${PROJECT} } pageInfo { hasNextPage endCursor } }
}`;

/** Sends a GraphQL request, and returns its value, which is read from the data, or its first error. */
export async function graphqlOutcome<T>(
  url: string,
  token: string | undefined,
  query: string,
  variables: object,
  // biome-ignore lint/suspicious/noExplicitAny: the tests check the values
  read: (data: any) => T,
  headers: Fields = {},
): Promise<Outcome<T>> {
  const response = await postGraphql(url, token, query, variables, headers);
  const { data, errors } = JSON.parse(response.text);
  if (!errors) return { value: read(data), error: undefined, response };
  const { message, extensions } = errors[0];
  const { status, reason, fieldViolations = [], requestId } = extensions;
  const fields = fieldViolations.map(({ field }: { field: string }) => field);
  return { value: undefined, error: { status, reason, message, fields, requestId }, response };
}

/** The GraphQL API of the gateway at `url()`. */
export function graphqlApi(url: () => string, headers: Fields = {}): Api {
  // biome-ignore lint/suspicious/noExplicitAny: the tests check the values
  const request = <T>(token: string | undefined, query: string, input: object, read: (data: any) => T) =>
    graphqlOutcome(url(), token, query, input, read, headers);

  return {
    name: 'GraphQL',
    createApp: (token, input) => request(token, CREATE_APP, { input }, (data) => data.createApp.app),
    signIn: (token, input) => request(token, SIGN_IN, { input }, (data) => data.signIn),
    updateWallet: (token, name, input) =>
      request(token, UPDATE_WALLET, { input: { name, ...input } }, ({ updateWallet: { wallet } }) => ({
        ...wallet,
        project: wallet.project.name,
      })),
    listProjects: (token, input = {}) =>
      request(token, LIST_PROJECTS, input, ({ projects: { nodes, pageInfo } }) => ({
        projects: nodes,
        nextPageToken: pageInfo.hasNextPage ? pageInfo.endCursor : '',
      })),
  };
}

/** The REST API of the gateway at `url()`. */
export function restApi(url: () => string, headers: Fields = {}): Api {
  async function request<T>(
    token: string | undefined,
    method: string,
    path: string,
    sentBody: object | undefined,
    names: Readonly<Record<string, string>> = {},
  ): Promise<Outcome<T>> {
    const response = await send(url() + path, method, token, sentBody, headers);
    const body = JSON.parse(response.text);
    if (!body.error) return { value: body, error: undefined, response };
    const { message, status, details } = body.error;
    const [{ reason, metadata }, badRequest] = details;
    const fields = (badRequest?.fieldViolations ?? []).map(
      ({ field }: { field: string }) => names[field] ?? field,
    );
    return {
      value: undefined,
      error: { status, reason, message, fields, requestId: metadata.requestId },
      response,
    };
  }

  return {
    name: 'REST',
    createApp: (token, input) => request(token, 'POST', '/auth/apps', input),
    signIn: (token, privateKey) =>
      request(token, 'POST', '/auth/accounts:signinIdentity', { privateKey }, SIGN_IN_NAMES),
    updateWallet: (token, name, input) => request(token, 'PATCH', `/wallet/${name}`, input),
    listProjects(token, { first, after } = {}) {
      const query = new URLSearchParams();
      if (first !== undefined) query.set('pageSize', String(first));
      if (after !== undefined) query.set('pageToken', String(after));
      return request(token, 'GET', `/project/projects?${query}`, undefined, PAGE_NAMES);
    },
  };
}

const SIGN_IN_NAMES = { 'privateKey.name': 'name', 'privateKey.privateKey': 'privateKey' };

const PAGE_NAMES = { pageSize: 'first', pageToken: 'after' };
