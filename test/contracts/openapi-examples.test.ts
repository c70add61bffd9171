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
  responseOf,
} from '../support/openapi-document.ts';

/** The differences from the request of an example. */
type Sent = {
  readonly token?: string | undefined;
  readonly path?: string;
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
};

// These need a fault, many or concurrent requests, a second token, or a request that `fetch` does not send. Other tests
// cause them, and check them against the contract.
const FAULTS = [
  'EXPECTATION_FAILED',
  'IDEMPOTENCY_KEY_IN_USE',
  'IDEMPOTENCY_RESPONSE_SEALED',
  'INTERNAL',
  'NOT_IMPLEMENTED',
  'OVERLOADED',
  'RESULT_UNKNOWN',
  'TOO_MANY_CONCURRENT_REQUESTS',
  'TOO_MANY_IDEMPOTENCY_KEYS',
  'TOO_MANY_PASSWORDS',
  'TOO_MANY_REQUESTS',
  'UNAVAILABLE',
];

const CHANGES: readonly OperationId[] = ['createApp', 'signIn', 'updateWallet'];

const INVALID: Readonly<Record<OperationId, Sent>> = {
  createApp: { body: { title: '', active: true } },
  signIn: { body: { privateKey: { name: 'till', privateKey: 'key' } } },
  updateWallet: { body: { password: 'short' } },
  listProjects: { path: '/project/projects?pageSize=101' },
};

type Provocation = {
  readonly reason: string;
  readonly ids: readonly OperationId[];
  readonly request: (id: OperationId) => Sent | Promise<Sent>;
};

/** The requests that cause the other errors. */
const PROVOCATIONS: readonly Provocation[] = [
  { reason: 'INVALID_FIELD', ids: OPERATION_IDS, request: (id) => INVALID[id] },
  { reason: 'MALFORMED_REQUEST', ids: CHANGES, request: () => ({ body: '{' }) },
  { reason: 'BODY_TOO_LARGE', ids: CHANGES, request: () => ({ body: ' '.repeat(MAX_BODY_BYTES + 1) }) },
  {
    reason: 'UNSUPPORTED_MEDIA_TYPE',
    ids: CHANGES,
    request: () => ({ headers: { 'content-type': 'text/plain' } }),
  },
  { reason: 'TOKEN_MISSING', ids: OPERATION_IDS, request: () => ({ token: undefined }) },
  { reason: 'TOKEN_INVALID', ids: OPERATION_IDS, request: () => ({ token: 'nonsense' }) },
  {
    reason: 'ACCOUNT_TOKEN_REQUIRED',
    ids: ['createApp'],
    request: async () => ({ token: (await signIn(await createApp())).accessToken }),
  },
  // The app of the example does not exist.
  { reason: 'INVALID_CREDENTIALS', ids: ['signIn'], request: () => ({}) },
  {
    reason: 'APP_INACTIVE',
    ids: ['signIn'],
    request: async () => ({ body: keyOf(await createApp({ title: 'Till', active: false })) }),
  },
  { reason: 'IDEMPOTENCY_KEY_REUSED', ids: CHANGES, request: async () => ({ headers: await usedKey() }) },
  {
    reason: 'RESOURCE_NOT_FOUND',
    ids: ['updateWallet'],
    request: () => ({ path: '/wallet/wallets/01ARZ3NDEKTSV4RRFFQ69G5FAV' }),
  },
];

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

test('the example of an error is a real response', async () => {
  const { headers, text } = await replay('createApp', INVALID.createApp);
  const { example } = responseOf(document, operationOf(document, 'createApp'), 400).content[
    'application/json'
  ];
  const [, requestId = ''] = /"requestId":"([^"]+)"/.exec(JSON.stringify(example)) ?? [];
  expect(JSON.parse(text.replace(headers.get('x-request-id') ?? '', requestId))).toEqual(example);
});

test.each(PROVOCATIONS)('$reason is a real and documented reason', async ({ reason, ids, request }) => {
  for (const id of ids) {
    const { text } = await replay(id, await request(id));
    expect(JSON.parse(text).error.details[0].reason, id).toBe(reason);
  }
});

test('no other reason is documented', () => {
  const documented = new Set(
    Object.values(document.components.responses).flatMap(({ description }) =>
      [...description.matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, reason]) => reason),
    ),
  );
  expect([...documented].toSorted()).toEqual(
    [...PROVOCATIONS.map(({ reason }) => reason), ...FAULTS].toSorted(),
  );
});

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
  return responseOf(document, operationOf(document, id), 200).content['application/json'].example as Fields;
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
