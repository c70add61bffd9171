import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Changes, DataLayer } from '../data/data-layer.ts';
import type { Authenticate } from '../http/authorization.ts';
import { RequestClient } from '../http/client.ts';
import { IDEMPOTENCY_HEADER } from '../http/idempotency-headers.ts';
import { refuseIfMatch } from '../http/preconditions.ts';
import { routeKind } from '../http/request-record.ts';
import { appView } from '../model/app.ts';
import { integerIn, renameFields } from '../model/fields/fields.ts';
import {
  conditionalUpdateWalletFields,
  createAppFields,
  signInFields,
  updateWalletFields,
} from '../model/fields/operation-fields.ts';
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

// GraphQL alone has `project`. The name of a wallet is in the path, and `ifMatch` in a header.
const { project, ...createAppBody } = createAppFields;
const { name, ifMatch, ...updateWalletBody } = updateWalletFields;

/** The validators `V`, if they are those of the fields of `T`, a type of the contract, and no others. */
type Exactly<T, V> = Record<keyof T, unknown> & Record<Exclude<keyof V, keyof T>, never>;

const CREATE_APP = Object.keys(createAppBody satisfies Exactly<Body<'createApp'>, typeof createAppBody>);
const SIGN_IN = Object.keys({ privateKey: signInFields } satisfies Record<keyof Body<'signIn'>, unknown>);
const CREDENTIAL = Object.keys(
  signInFields satisfies Exactly<Body<'signIn'>['privateKey'], typeof signInFields>,
);
const UPDATE_WALLET = Object.keys(
  updateWalletBody satisfies Exactly<Body<'updateWallet'>, typeof updateWalletBody>,
);

/** The names of fields in REST, by their names in the operations. */
const CREDENTIAL_NAMES = { name: 'privateKey.name', privateKey: 'privateKey.privateKey' };
const PAGE_NAMES = { first: 'pageSize', after: 'pageToken' } as const;

/** Adds the routes of the REST API: the four paths of the specification. */
export function addRestApi(root: FastifyInstance, data: DataLayer, authenticate: Authenticate): void {
  const change = async (request: FastifyRequest, reply: FastifyReply, prepare: () => Operation) => {
    const operations = data.forRequest(new RequestClient(request), await authenticate(request));
    operations.assertMayChange();
    const operation = prepare();
    return request.headers[IDEMPOTENCY_HEADER] === undefined
      ? operation.run(operations)
      : withIdempotencyKey(operations, request, reply, operation);
  };
  root.register(async (app) => {
    app.addHook('onRoute', (route) => {
      route.config = { ...route.config, ...routeKind('api') };
    });
    // Before the body is read, so that a client without a valid token can't send one.
    app.addHook('onRequest', async (request) => {
      await authenticate(request);
      if (request.method === 'GET' || request.method === 'HEAD') return;
      unpackQuery(request.query, []);
    });

    app.post('/auth/apps', { preHandler: refuseIfMatch }, (request, reply) =>
      change(request, reply, () => {
        const input = unpackObject(request.body, CREATE_APP);
        const run = async (changes: Changes): Promise<Result<'createApp'>> =>
          appView(await changes.createApp(input));
        return { id: 'createApp', input, validators: createAppFields, run };
      }),
    );

    // The router's syntax for a literal colon is a double colon.
    app.post('/auth/accounts::signinIdentity', { preHandler: refuseIfMatch }, (request, reply) =>
      change(request, reply, () => {
        const { privateKey } = unpackObject(request.body, SIGN_IN);
        const input = unpackObject(privateKey, CREDENTIAL, 'privateKey');
        const run = async (changes: Changes): Promise<Result<'signIn'>> => {
          const { accessToken, app } = await renameFields(CREDENTIAL_NAMES, () => changes.signIn(input));
          return { accessToken, app: appView(app) };
        };
        return { id: 'signIn', input, validators: signInFields, run };
      }),
    );

    // The slash in the name of the wallet can be plain or %2F.
    app.patch<{ Params: { '*': string } }>('/wallet/*', (request, reply) =>
      change(request, reply, () => {
        const fields = unpackObject(request.body, UPDATE_WALLET);
        const input = { ...fields, name: request.params['*'], ...preconditionsIn(request.headers) };
        const run = async (changes: Changes): Promise<Result<'updateWallet'>> => {
          const wallet = await changes.updateWallet(input);
          reply.header('etag', `"${wallet.etag}"`);
          return walletView(wallet);
        };
        return { id: 'updateWallet', input, validators: conditionalUpdateWalletFields, run };
      }),
    );

    app.get('/project/projects', async (request): Promise<Result<'listProjects'>> => {
      const operations = data.forRequest(new RequestClient(request), await authenticate(request));
      const { pageSize, pageToken } = unpackQuery<keyof ListQuery>(request.query, Object.values(PAGE_NAMES));
      const input = { first: integerIn(pageSize), after: pageToken };
      const page = await renameFields(PAGE_NAMES, () => operations.listProjects(input));
      return { projects: page.items.map(projectView), nextPageToken: nextPageToken(page) };
    });
  });
}
