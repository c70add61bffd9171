import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { expectDocumented } from './rest-contract.ts';

/** What an API answered: the resource that came, or the error, and the HTTP response as it was. */
export type Outcome<T> = {
  readonly value: T | undefined;
  readonly error: Failure | undefined;
  readonly response: Answer;
};

/** An error in the terms that both APIs share. */
export type Failure = {
  /** The canonical name, such as `INVALID_ARGUMENT`. */
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  /** The fields at fault, by the names that the data layer gives them. */
  readonly fields: readonly string[];
  readonly requestId: string;
};

/** An HTTP response that has been read. */
export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
};

export type AppFields = { name: string; title: string; privateKey: string; active: boolean };
export type SignInFields = { accessToken: string; app: AppFields };
export type WalletFields = {
  name: string;
  title: string;
  description: string;
  project: string;
  network: string;
  address: string;
  password: string;
};
export type ProjectFields = {
  name: string;
  title: string;
  description: string;
  imageCoverUrl: string;
  imageCoverCid: string;
};
export type PageFields = { projects: ProjectFields[]; nextPageToken: string };

/** The four operations by one of the two APIs, so that a test can ask both the same. */
export type Api = {
  readonly name: 'GraphQL' | 'REST';
  createApp(token: string | undefined, sent: object): Promise<Outcome<AppFields>>;
  signIn(token: string | undefined, sent: object): Promise<Outcome<SignInFields>>;
  updateWallet(token: string | undefined, wallet: string, sent: object): Promise<Outcome<WalletFields>>;
  listProjects(
    token: string | undefined,
    sent?: { first?: unknown; after?: unknown },
  ): Promise<Outcome<PageFields>>;
};

/** Both APIs of the gateway at `url()`. */
export function bothApis(url: () => string): readonly Api[] {
  return [graphqlFace(url), restFace(url)];
}

/** Sends a GraphQL request and returns the response. */
export async function postGraphql(
  url: string,
  token: string | undefined,
  query: string,
  variables: object = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return send(`${url}/graphql`, 'POST', token, { query, variables }, headers);
}

const REST_PATH = /^\/(auth|wallet|project)\//;

/**
 * Sends a request and reads the response, which has to be a documented one if it comes from the REST API.
 * A body is sent as JSON, or as it is if it is text.
 */
export async function send(
  url: string,
  method: string,
  token?: string,
  body?: object | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const answer = { status: response.status, headers: response.headers, text: await response.text() };
  const { pathname } = new URL(url);
  if (REST_PATH.test(pathname)) expectDocumented(method, pathname, answer);
  return answer;
}

/** Reads the response to a request that `fetch` could not have sent. */
export async function answerOf(response: IncomingMessage): Promise<Answer> {
  return {
    status: response.statusCode ?? 0,
    headers: new Headers(Object.entries(response.headers).map(([name, value]) => [name, String(value)])),
    text: await text(response),
  };
}

const APP = 'name title privateKey active';
const WALLET = 'name title description project { name } network address password';
const PROJECT = 'name title description imageCoverUrl imageCoverCid';

const CREATE_APP = `mutation ($input: CreateAppInput!) { createApp(input: $input) { app { ${APP} } } }`;
const SIGN_IN = `mutation ($input: SignInInput!) { signIn(input: $input) { accessToken app { ${APP} } } }`;
const UPDATE_WALLET = `mutation ($input: UpdateWalletInput!) { updateWallet(input: $input) { wallet { ${WALLET} } } }`;
const LIST_PROJECTS = `query ($first: Int, $after: String) {
  projects(first: $first, after: $after) { nodes { ${PROJECT} } pageInfo { hasNextPage endCursor } }
}`;

function graphqlFace(url: () => string): Api {
  async function ask<T>(
    token: string | undefined,
    query: string,
    variables: object,
    // biome-ignore lint/suspicious/noExplicitAny: what a test reads of an answer is what it tests
    read: (data: any) => T,
  ): Promise<Outcome<T>> {
    const response = await postGraphql(url(), token, query, variables);
    const { data, errors } = JSON.parse(response.text);
    if (!errors) return { value: read(data), error: undefined, response };
    const { message, extensions } = errors[0];
    const { status, reason, fieldViolations = [], requestId } = extensions;
    const fields = fieldViolations.map(({ field }: { field: string }) => field);
    return { value: undefined, error: { status, reason, message, fields, requestId }, response };
  }

  return {
    name: 'GraphQL',
    createApp: (token, input) => ask(token, CREATE_APP, { input }, (data) => data.createApp.app),
    signIn: (token, input) => ask(token, SIGN_IN, { input }, (data) => data.signIn),
    updateWallet: (token, name, sent) =>
      ask(token, UPDATE_WALLET, { input: { name, ...sent } }, ({ updateWallet: { wallet } }) => ({
        ...wallet,
        project: wallet.project.name,
      })),
    listProjects: (token, sent = {}) =>
      ask(token, LIST_PROJECTS, sent, ({ projects: { nodes, pageInfo } }) => ({
        projects: nodes,
        nextPageToken: pageInfo.hasNextPage ? pageInfo.endCursor : '',
      })),
  };
}

function restFace(url: () => string): Api {
  async function ask<T>(
    token: string | undefined,
    method: string,
    path: string,
    body: object | undefined,
    names: Readonly<Record<string, string>> = {},
  ): Promise<Outcome<T>> {
    const response = await send(url() + path, method, token, body);
    const answer = JSON.parse(response.text);
    if (!answer.error) return { value: answer, error: undefined, response };
    const { message, status, details } = answer.error;
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
    createApp: (token, sent) => ask(token, 'POST', '/auth/apps', sent),
    signIn: (token, privateKey) =>
      ask(token, 'POST', '/auth/accounts:signinIdentity', { privateKey }, SIGN_IN_NAMES),
    updateWallet: (token, name, sent) => ask(token, 'PATCH', `/wallet/${name}`, sent),
    listProjects(token, { first, after } = {}) {
      const query = new URLSearchParams();
      if (first !== undefined) query.set('pageSize', String(first));
      if (after !== undefined) query.set('pageToken', String(after));
      return ask(token, 'GET', `/project/projects?${query}`, undefined, PAGE_NAMES);
    },
  };
}

const SIGN_IN_NAMES = { 'privateKey.name': 'name', 'privateKey.privateKey': 'privateKey' };

const PAGE_NAMES = { pageSize: 'first', pageToken: 'after' };
