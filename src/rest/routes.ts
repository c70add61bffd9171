import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createApp } from '../data/create-app.ts';
import { assertMayChange, type Call, type DataLayer } from '../data/data-layer.ts';
import { listProjects } from '../data/list-projects.ts';
import { signIn } from '../data/sign-in.ts';
import { updateWallet } from '../data/update-wallet.ts';
import type { Authenticate } from '../http/request/authorization.ts';
import { idempotencyHeaders } from '../http/request/idempotency-headers.ts';
import { refuseIfMatch } from '../http/request/preconditions.ts';
import { RequestClient } from '../http/request/request-client.ts';
import { routeKind } from '../http/request/route-kind.ts';
import { appView } from '../model/app.ts';
import { invalidFields } from '../model/errors.ts';
import { ifNoneMatch } from '../model/etag.ts';
import { integerIn, optional, renameFields } from '../model/fields/fields.ts';
import { isJsonObject } from '../model/fields/json.ts';
import { nextPageToken } from '../model/lists/list-page.ts';
import { projectView } from '../model/project.ts';
import { walletView } from '../model/wallet.ts';
import type { operations } from './generated/openapi-types.ts';
import { type Operation, withIdempotencyKey } from './idempotency.ts';
import { preconditionsIn } from './preconditions.ts';
import { unpackObject, unpackQuery } from './unpack.ts';

/** The body of a request in the contract. */
type Body<Id extends 'createApp' | 'signIn' | 'updateWallet'> =
  operations[Id]['requestBody']['content']['application/json'];

/** The body of a response in the contract. */
type Result<Id extends keyof operations> = operations[Id]['responses'][200]['content']['application/json'];

/** The query parameters of the list in the contract. */
type ListQuery = NonNullable<operations['listProjects']['parameters']['query']>;

const SIGN_IN_FIELDS = signIn.rules.input;
const UPDATE_FIELDS = { ...updateWallet.rules.input, ifNoneMatch: optional(ifNoneMatch) };

/** Returns the names of the fields of a body, which are the fields of `T`, a type of the contract. */
const namesOf = <T>(fields: Record<keyof T, unknown>) => Object.keys(fields);

const { title, active } = createApp.rules.input;
const CREATE_APP = namesOf<Body<'createApp'>>({ title, active });
const SIGN_IN = namesOf<Body<'signIn'>>({ privateKey: SIGN_IN_FIELDS });
const CREDENTIAL = namesOf<Body<'signIn'>['privateKey']>(SIGN_IN_FIELDS);
const { description, project, network, password } = UPDATE_FIELDS;
const UPDATE_WALLET = namesOf<Body<'updateWallet'>>({ title, description, project, network, password });

/** The names of fields in REST, by their names in the operations. */
const CREDENTIAL_NAMES = { name: 'privateKey.name', privateKey: 'privateKey.privateKey' };
const PAGE_NAMES = { first: 'pageSize', after: 'pageToken' } as const;

/** Adds the routes of the REST API: the four paths of the specification. */
export function addRestApi(root: FastifyInstance, data: DataLayer, authenticate: Authenticate): void {
  const callOf = async (request: FastifyRequest) =>
    data.forRequest(new RequestClient(request), await authenticate(request));
  const change = (prepare: Prepare) => async (request: FastifyRequest, reply: FastifyReply) => {
    const call = await callOf(request);
    assertMayChange(call);
    const operation = prepare(request, reply);
    const headers = idempotencyHeaders(request);
    return headers ? withIdempotencyKey(call, headers, reply, operation) : operation.run(call);
  };
  root.register(async (app) => {
    app.addHook('onRoute', (route) => {
      route.config = { ...route.config, ...routeKind('api') };
    });
    // Before the body is read, so a client without a valid token can't send one.
    app.addHook('onRequest', async (request) => {
      await authenticate(request);
      if (request.method === 'GET' || request.method === 'HEAD') return;
      unpackQuery(request.query, []);
    });

    app.post('/auth/apps', { preHandler: refuseIfMatch }, change(unpackCreateApp));
    // The router's syntax for a literal colon is a double colon.
    app.post('/auth/accounts::signinIdentity', { preHandler: refuseIfMatch }, change(unpackSignIn));
    // The slash in the name of the wallet can be plain or %2F.
    app.patch('/wallet/*', change(unpackUpdateWallet));
    app.get('/project/projects', async (request) => pageOfProjects(await callOf(request), request));
  });
}

/** Unpacks the request of a change. */
type Prepare = (request: FastifyRequest, reply: FastifyReply) => Operation;

function unpackCreateApp({ body }: FastifyRequest): Operation {
  const input = unpackObject(body, CREATE_APP);
  const run = async (call: Call): Promise<Result<'createApp'>> => appView(await createApp(call, input));
  return { id: 'createApp', input, validators: createApp.rules.input, run };
}

function unpackSignIn({ body }: FastifyRequest): Operation {
  // The object comes first, so an error names it, even if its fields were sent without it.
  const { privateKey } = isJsonObject(body) ? body : unpackObject(body, SIGN_IN);
  const input = unpackObject(privateKey, CREDENTIAL, 'privateKey');
  unpackObject(body, SIGN_IN);
  const run = async (call: Call): Promise<Result<'signIn'>> => {
    const { accessToken, app } = await renameFields(CREDENTIAL_NAMES, () => signIn(call, input));
    return { accessToken, app: appView(app) };
  };
  return { id: 'signIn', input, validators: SIGN_IN_FIELDS, run };
}

function unpackUpdateWallet({ body, params, headers }: FastifyRequest, reply: FastifyReply): Operation {
  const { '*': walletName } = params as { readonly '*': string };
  if (isJsonObject(body) && Object.hasOwn(body, 'name')) {
    throw invalidFields([{ field: 'name', description: 'Omit it: the path has the name of the wallet.' }]);
  }
  const input = { ...unpackObject(body, UPDATE_WALLET), name: walletName, ...preconditionsIn(headers) };
  const run = async (call: Call): Promise<Result<'updateWallet'>> => {
    const wallet = await updateWallet(call, input);
    reply.header('etag', `"${wallet.etag}"`);
    return walletView(wallet);
  };
  return { id: 'updateWallet', input, validators: UPDATE_FIELDS, run };
}

async function pageOfProjects(call: Call, { query }: FastifyRequest): Promise<Result<'listProjects'>> {
  const { pageSize, pageToken } = unpackQuery<keyof ListQuery>(query, Object.values(PAGE_NAMES));
  const input = { first: integerIn(pageSize), after: pageToken };
  const page = await renameFields(PAGE_NAMES, () => listProjects(call, input));
  return { projects: page.items.map(projectView), nextPageToken: nextPageToken(page) };
}
