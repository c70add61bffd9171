import { createCredential, parseCredential } from '../../src/credentials/credential.ts';
import type { OperatorContext } from '../../src/data/call/call.ts';
import { createToken, type NewToken } from '../../src/data/tokens/create-token.ts';
import type { Ulid } from '../../src/model/resource-name.ts';
import {
  type Api,
  type AppFields,
  graphqlApi,
  type HttpResponse,
  mutationDocument,
  type Outcome,
  postGraphql,
  type SignInFields,
  send,
} from './both-apis.ts';
import type { Gateway, Tenant } from './gateway.ts';

/** The name and the private key of an app, with which it signs in. */
export type AppKey = Pick<AppFields, 'name' | 'privateKey'>;

type WithOperator = { readonly operator: OperatorContext };

export const ULID = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
export const MISSING_APP = `apps/${'0'.repeat(26)}`;
export const MISSING_PROJECT = `projects/${'0'.repeat(26)}`;
export const MISSING_WALLET = `wallets/${'0'.repeat(26)}`;
export const PASSWORD = 'correct horse battery staple 123';

/** Returns the value of an operation, or throws if it failed. */
export async function resultOf<T>(operation: Outcome<T> | Promise<Outcome<T>>): Promise<T> {
  const { value, response } = await operation;
  if (value === undefined) throw new Error(response.text);
  return value;
}

/** Returns `ok`, or the reason of the error. */
export async function reasonOf(operation: Outcome<unknown> | Promise<Outcome<unknown>>): Promise<string> {
  return (await operation).error?.reason ?? 'ok';
}

/** Returns `ok` if a token is accepted, or the reason of the error. */
export function tokenStatus(api: Api, token: string): Promise<string> {
  return reasonOf(api.listProjects(token));
}

/** Returns only the name and the private key. */
export function keyOf({ name, privateKey }: AppKey): AppKey {
  return { name, privateKey };
}

/** Creates an app in the default project of the token. */
export function createApp(api: Api, token: string, fields: object = {}): Promise<AppFields> {
  return resultOf(api.createApp(token, { title: 'App', active: true, ...fields }));
}

/** Creates an app in a project, with a token that has this default project. */
export async function createAppIn(
  { operator }: WithOperator,
  api: Api,
  { account }: Pick<Tenant, 'account'>,
  project: string | undefined,
  fields: object = {},
): Promise<AppFields> {
  const { accessToken } = await createAccountToken(operator, { account, project }, 86_400);
  return createApp(api, accessToken, fields);
}

/** Signs an app in. */
export function signIn(api: Api, token: string, app: AppKey): Promise<SignInFields> {
  return resultOf(api.signIn(token, keyOf(app)));
}

/** Sends a sign-in with further headers, and returns the response. */
export function postSignIn(
  { name }: Api,
  url: string,
  token: string,
  app: AppKey,
  headers: Readonly<Record<string, string>>,
): Promise<HttpResponse> {
  return name === 'REST'
    ? send(`${url}/auth/accounts:signinIdentity`, 'POST', token, { privateKey: app }, headers)
    : postGraphql(url, token, mutationDocument('signIn', 'accessToken'), { input: app }, headers);
}

/** Lists the projects with further headers, and returns the response. */
export function getProjects(
  { name }: Api,
  url: string,
  token: string | undefined,
  headers: Readonly<Record<string, string>>,
): Promise<HttpResponse> {
  return name === 'REST'
    ? send(`${url}/project/projects`, 'GET', token, undefined, headers)
    : postGraphql(url, token, '{ projects { nodes { name } } }', {}, headers);
}

/** Asks for a token of an app by OAuth. */
export function authorize(
  { url }: Pick<Gateway, 'url'>,
  { name, privateKey }: AppKey,
  form: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const grant = { grant_type: 'client_credentials', client_id: name, client_secret: privateKey };
  return fetch(`${url}/oauth/token`, { method: 'POST', body: new URLSearchParams({ ...grant, ...form }) });
}

/** Signs an app in, and returns its project token. */
export async function projectTokenOf(api: Api, token: string, app: AppKey): Promise<string> {
  return (await signIn(api, token, app)).accessToken;
}

/** Returns a project token of a new app in a project. */
export async function projectToken(
  gateway: Pick<Gateway, 'operator' | 'url'>,
  tenant: Tenant,
  project: string | undefined = tenant.projects[0],
): Promise<string> {
  const api = graphqlApi(() => gateway.url);
  return projectTokenOf(api, tenant.token, await createAppIn(gateway, api, tenant, project));
}

/** Creates an account token as the operator. */
export function createAccountToken(
  operator: OperatorContext,
  input: object,
  ttlSeconds = 86_400,
): Promise<NewToken> {
  const expireTime = new Date(operator.clock() + ttlSeconds * 1000).toISOString();
  return createToken(operator, { ...input, expireTime });
}

/** Returns another account token. */
export async function accountToken(
  { operator }: WithOperator,
  { account }: Pick<Tenant, 'account'>,
  fields: object = {},
  ttlSeconds = 86_400,
): Promise<string> {
  return (await createAccountToken(operator, { account, ...fields }, ttlSeconds)).accessToken;
}

/** Returns an account token that expired an hour ago. */
export async function expiredToken(
  { operator }: WithOperator,
  { account }: Pick<Tenant, 'account'>,
): Promise<string> {
  const past = { ...operator, clock: () => operator.clock() - 7_200_000 };
  return (await createAccountToken(past, { account }, 3600)).accessToken;
}

/** Returns a credential with the same ids and another secret. */
export function withOtherSecret(credential: string): string {
  const { kind, accountId, id } = credentialParts(credential);
  return createCredential(kind, accountId, id);
}

/** Returns the parts of a credential, or throws if it is malformed. */
export function credentialParts(credential: string) {
  const parts = parseCredential(credential);
  if (parts === undefined) throw new Error('The credential is malformed.');
  return parts;
}

/** Returns the name of a token. */
export function tokenNameOf(token: string): string {
  return `tokens/${credentialParts(token).id}`;
}

/** Returns the secret part of a credential. */
export function secretOf(credential: string): string {
  return credential.slice(-72, -8);
}

/** Returns the ULID of a resource name. */
export function ulidOf(name: string): Ulid {
  return name.slice(name.indexOf('/') + 1) as Ulid;
}

/** Returns a resource name with its ULID in lower case. */
export function inLowerCase(name: string): string {
  return name.replace(/[^/]+$/, (ulid) => ulid.toLowerCase());
}

/** Sends a GraphQL request and returns the body of the response. */
// biome-ignore lint/suspicious/noExplicitAny: the tests check the values
export async function graphqlBody(url: string, token: string, query: string, variables = {}): Promise<any> {
  return JSON.parse((await postGraphql(url, token, query, variables)).text);
}

/** Runs a mutation of GraphQL, and returns the body of the response. */
export function mutate(url: string, token: string, name: string, input: object, selection?: string) {
  return graphqlBody(url, token, mutationDocument(name, selection), { input });
}

/** Runs a mutation of GraphQL, and returns its payload, or the extensions of its error. */
export async function payloadOf(...request: Parameters<typeof mutate>) {
  const { data, errors } = await mutate(...request);
  const [, , name] = request;
  return errors ? errors[0].extensions : data[name];
}

/** Returns the cursors of the first 100 projects. */
export async function cursorsOf({ url }: Pick<Gateway, 'url'>, { token }: Tenant): Promise<string[]> {
  const { data } = await graphqlBody(url, token, '{ projects(first: 100) { edges { cursor } } }');
  return data.projects.edges.map(({ cursor }: { cursor: string }) => cursor);
}

/** Returns a response without the date, the request id and the rate, which differ between requests. */
export function withoutRequestId({ status, headers, text }: HttpResponse) {
  const requestId = headers.get('x-request-id') ?? '';
  const varying = ['date', 'x-request-id', 'content-length', 'ratelimit'];
  return {
    status,
    headers: [...headers]
      .filter(([name]) => !varying.includes(name))
      // The challenge has the path of the request.
      .map(([name, value]) => [name, value.replace(/, resource_metadata="[^"]+"$/, '')]),
    text: text.replaceAll(`"${requestId}"`, '"<request id>"'),
  };
}
