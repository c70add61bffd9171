import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { beforeAll, expect, test } from 'vitest';
import { createAccount } from '../../src/data/create-account.ts';
import { createAccountToken } from '../../src/data/create-account-token.ts';
import { createProject } from '../../src/data/create-project.ts';
import { createWallet } from '../../src/data/create-wallet.ts';
import type { AdminContext } from '../../src/data/dependencies.ts';
import { MAX_BODY_BYTES } from '../../src/http/http-error.ts';
import { parseUlid } from '../../src/model/resource-name.ts';
import {
  type AppFields,
  type HttpResponse,
  type PageFields,
  readResponse,
  type SignInFields,
  send,
  type WalletFields,
} from '../support/apis.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import {
  OPERATION_IDS,
  type OpenApiDocument,
  type OperationId,
  operationOf,
  parametersOf,
} from '../support/openapi-document.ts';

/** The differences from the request of an example. */
type Sent = {
  readonly token?: string | undefined;
  readonly path?: string;
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
};

// These need a fault, many or concurrent requests, or a request that `fetch` does not send. Other tests
// cause them, and check them against the document.
const FAULTS = [408, 409, 417, 429, 431, 500, 501, 503];

const INVALID: Readonly<Record<OperationId, Sent>> = {
  createApp: { body: { title: '' } },
  signIn: { body: { privateKey: { name: 'till', privateKey: 'key' } } },
  updateWallet: { body: { password: 'short' } },
  listProjects: { path: '/project/projects?pageSize=101' },
};

/** The requests that cause an error, by the reason of the error. */
const PROVOCATIONS: Readonly<Record<string, (id: OperationId) => Sent | Promise<Sent>>> = {
  INVALID_FIELD: (id) => INVALID[id],
  MALFORMED_REQUEST: () => ({ body: '{' }),
  BODY_TOO_LARGE: () => ({ body: ' '.repeat(MAX_BODY_BYTES + 1) }),
  UNSUPPORTED_MEDIA_TYPE: () => ({ headers: { 'content-type': 'text/plain' } }),
  TOKEN_MISSING: () => ({ token: undefined }),
  TOKEN_INVALID: () => ({ token: 'nonsense' }),
  ACCOUNT_TOKEN_REQUIRED: async () => ({ token: (await signIn(await createApp())).accessToken }),
  // The app of the example does not exist.
  INVALID_CREDENTIALS: () => ({}),
  APP_INACTIVE: async () => ({ body: keyOf(await createApp({ title: 'Till', active: false })) }),
  IDEMPOTENCY_KEY_REUSED: async () => ({ headers: await usedKey() }),
  RESOURCE_NOT_FOUND: () => ({ path: '/wallet/wallets/01ARZ3NDEKTSV4RRFFQ69G5FAV' }),
};

let gateway: Gateway;
let document: OpenApiDocument;
let token: string;

beforeAll(async () => {
  gateway = await startGateway({ PUBLIC_URL: 'https://paw.example.com' });
  document = JSON.parse((await send(`${gateway.url}/openapi.json`, 'GET')).text);
  token = await seedExamples();
  return gateway.stop;
});

test('the example of createApp is a real response, except for the name and the key', async () => {
  const app = await createApp();
  const { name, privateKey } = app;
  expect(app).toEqual({ ...exampleOf<AppFields>('createApp'), name, privateKey });
  expect(privateKey).not.toBe('');
});

test('the example of signIn is a real response, except for the name and the token', async () => {
  const app = await createApp();
  const { accessToken, app: signedIn } = exampleOf<SignInFields>('signIn');
  expect(await signIn(app)).toEqual({
    accessToken: expect.stringMatching(new RegExp(`^.{${accessToken.length}}$`)),
    app: { ...signedIn, name: app.name },
  });
});

test('the example of updateWallet is a real response', async () => {
  const { status, text } = await replay('updateWallet');
  expect([status, JSON.parse(text)]).toEqual([200, exampleOf('updateWallet')]);
});

test('the example of listProjects is a real response', async () => {
  const { status, text } = await replay('listProjects');
  expect([status, JSON.parse(text)]).toEqual([200, exampleOf('listProjects')]);
});

test.each(OPERATION_IDS)('the examples of the errors of %s are real responses', async (id) => {
  const { requestBody, responses } = operationOf(document, id);
  const reasons: string[] = [];
  for (const [status, { content }] of Object.entries(responses)) {
    if (FAULTS.includes(Number(status))) continue;
    for (const [reason, { value }] of Object.entries(content['application/json'].examples ?? {})) {
      const answer =
        requestBody === undefined && reason === 'MALFORMED_REQUEST'
          ? await askWithoutHost(id)
          : await replay(id, await provocation(id, reason));
      const text = answer.text.replace(
        answer.headers.get('x-request-id') ?? '',
        value.error.details[0].metadata.requestId,
      );
      expect([answer.status, JSON.parse(text)], reason).toEqual([Number(status), value]);
      reasons.push(reason);
    }
  }
  expect(reasons).toEqual(expect.arrayContaining(['INVALID_FIELD', 'MALFORMED_REQUEST', 'TOKEN_MISSING']));
});

async function provocation(id: OperationId, reason: string): Promise<Sent> {
  const provoke = PROVOCATIONS[reason];
  if (provoke === undefined) throw new Error(`Nothing here provokes ${reason}.`);
  return provoke(id);
}

/** Sends the request of an example with changes. `send` checks the response against the document. */
function replay(id: OperationId, sent: Sent = {}): Promise<HttpResponse> {
  const operation = operationOf(document, id);
  const example = {
    token,
    path: pathOf(id),
    body: operation.requestBody?.content['application/json'].example,
    headers: {},
  };
  const { token: bearer, path, body, headers } = { ...example, ...sent };
  return send(gateway.url + path, operation.method, bearer, body, headers);
}

/** Sends a request without the header Host, which `fetch` cannot do. */
async function askWithoutHost(id: OperationId): Promise<HttpResponse> {
  const { method } = operationOf(document, id);
  const sent = request(gateway.url + pathOf(id), { method, setHost: false }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return readResponse(response);
}

/** The path of an operation, with the example values of its parameters. */
function pathOf(id: OperationId): string {
  const operation = operationOf(document, id);
  const query = new URLSearchParams();
  let { path } = operation;
  for (const { name, in: place, example } of parametersOf(operation)) {
    if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(String(example)));
    else if (example !== undefined) query.set(name, String(example));
  }
  return query.size > 0 ? `${path}?${query}` : path;
}

function exampleOf<Fields extends object>(id: OperationId): Fields {
  return operationOf(document, id).responses['200']?.content['application/json'].example as Fields;
}

async function createApp(body?: object): Promise<AppFields> {
  return JSON.parse((await replay('createApp', body && { body })).text);
}

/** Returns a header with a key that was used for another request. */
async function usedKey(): Promise<Readonly<Record<string, string>>> {
  const headers = { 'idempotency-key': 'used' };
  await replay('createApp', { body: { title: 'Used', active: true }, headers });
  return headers;
}

async function signIn(app: AppFields): Promise<SignInFields> {
  return JSON.parse((await replay('signIn', { body: keyOf(app) })).text);
}

function keyOf({ name, privateKey }: AppFields): object {
  return { privateKey: { name, privateKey } };
}

/** Adds the resources of the examples to the gateway. Returns a token of the account that owns them. */
async function seedExamples(): Promise<string> {
  const [project, next] = exampleOf<PageFields>('listProjects').projects;
  if (project === undefined || next === undefined) throw new Error('The example of a page is too short.');
  const { name, ...wallet } = exampleOf<WalletFields>('updateWallet');
  const { admin } = gateway;
  const account = await createAccount(naming(admin.newId(), project.name), { title: project.title });
  await createProject(naming(next.name), { ...next, account: account.name });
  await createWallet(naming(name), { ...wallet, title: 'Cash', network: 'NETWORK_ETHEREUM' });
  return (await createAccountToken(admin, { account: account.name }, 3600)).accessToken;
}

/** Returns a context that gives these ULIDs to the next resources. Their audit events get other ones. */
function naming(...names: readonly string[]): AdminContext {
  const left = [...names];
  const newId = () => parseUlid(left.shift()?.slice(-26) ?? '') ?? gateway.admin.newId();
  return { ...gateway.admin, newId };
}
