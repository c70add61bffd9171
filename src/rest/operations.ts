import {
  ApiError,
  accountTokenRequired,
  appInactive,
  invalidCredentials,
  resourceNotFound,
  tooManyPasswords,
} from '../model/api-error.ts';
import { parseFields, type Validator } from '../model/fields.ts';
import { createAppFields, signInFields, updateWalletFields } from '../model/operation-fields.ts';
import { DEFAULT_PAGE_SIZE, pageSize } from '../model/page.ts';
import { PAGE_TOKEN_SCHEMA } from '../model/page-token.ts';
import type { responseSchemas } from './response-schemas.ts';

/** A field of a request, for the OpenAPI document and for the rejection of unknown fields. Operations validate the values. */
export type RequestField = {
  readonly description: string;
  /** The validator of a single value. An object has `fields` instead. */
  readonly validator?: Pick<Validator<unknown>, 'schema' | 'isOptional'>;
  readonly fields?: RequestFields;
};

/** The fields of a request, by name. */
export type RequestFields = Readonly<Record<string, RequestField>>;

/** The id of an operation in the OpenAPI document. */
export type OperationId = 'createApp' | 'signIn' | 'updateWallet' | 'listProjects';

/** An operation of the REST API. The routes and the OpenAPI document are generated from it. */
export type Operation = {
  readonly id: OperationId;
  readonly method: 'GET' | 'PATCH' | 'POST';
  /** The path in the syntax of OpenAPI. */
  readonly path: string;
  /** The path in the syntax of the router. */
  readonly route: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** The parameters of the path. */
  readonly pathParameters?: RequestFields;
  readonly query?: RequestFields;
  readonly body?: RequestFields;
  /** The name of the response schema. */
  readonly response: keyof typeof responseSchemas;
  /** The errors that are specific to this operation. */
  readonly errors: readonly ApiError[];
};

const { title, active } = createAppFields;

export const createApp = {
  id: 'createApp',
  method: 'POST',
  path: '/auth/apps',
  route: '/auth/apps',
  tag: 'Apps',
  summary: 'Create an app',
  description:
    'Creates an app in the project of the account token, or in the default project of the account if the token has none. Requires an account token. Only this response contains the private key of the app.',
  body: {
    title: { validator: title, description: 'The title of the app.' },
    active: { validator: active, description: 'Whether the app can sign in.' },
  },
  response: 'App',
  errors: [validationErrorOf({ title: '' }, { title, active }), accountTokenRequired()],
} as const satisfies Operation;

export const signIn = {
  id: 'signIn',
  method: 'POST',
  path: '/auth/accounts:signinIdentity',
  // The router's syntax for a literal colon is a double colon.
  route: '/auth/accounts::signinIdentity',
  tag: 'Apps',
  summary: 'Sign in with an app',
  description:
    'Exchanges the private key of an app for a project token. An account token can sign in any app of its account, a project token any app of its project.',
  body: {
    privateKey: {
      description: 'The credential of the app.',
      fields: {
        name: { validator: signInFields.name, description: 'The name of the app.' },
        privateKey: { validator: signInFields.privateKey, description: 'The private key of the app.' },
      },
    },
  },
  response: 'SignInResult',
  errors: [
    validationErrorOf({ 'privateKey.name': 'till' }, { 'privateKey.name': signInFields.name }),
    invalidCredentials(),
    appInactive(),
  ],
} as const satisfies Operation;

const { name, ...changes } = updateWalletFields;

export const updateWallet = {
  id: 'updateWallet',
  method: 'PATCH',
  path: '/wallet/{wallet_name}',
  // The slash in the name of the wallet can be plain or %2F.
  route: '/wallet/*',
  tag: 'Wallets',
  summary: 'Update a wallet',
  description:
    'Updates the fields of a wallet that are in the body. Other fields are unchanged. An account token can update any wallet of its account, a project token any wallet of its project.',
  pathParameters: {
    wallet_name: {
      validator: name,
      description: 'The name of the wallet. Its slash can be plain or `%2F`.',
    },
  },
  body: {
    title: { validator: changes.title, description: 'The new title.' },
    description: {
      validator: changes.description,
      description: 'The new description. An empty string clears it.',
    },
    project: {
      validator: changes.project,
      description: 'The new project. It must be visible to the token.',
    },
    network: {
      validator: changes.network,
      description:
        'The new network. `NETWORK_ETHEREUM_RINKERBY` is another spelling of `NETWORK_ETHEREUM_RINKEBY`.',
    },
    password: { validator: changes.password, description: 'The new password.' },
  },
  response: 'Wallet',
  errors: [
    validationErrorOf({ password: 'short' }, { password: changes.password }),
    resourceNotFound(),
    tooManyPasswords(),
  ],
} as const satisfies Operation;

export const listProjects = {
  id: 'listProjects',
  method: 'GET',
  path: '/project/projects',
  route: '/project/projects',
  tag: 'Projects',
  summary: 'List the projects',
  description:
    'Returns one page of the projects that are visible to the token: all projects of the account for an account token, one project for a project token.',
  query: {
    pageSize: {
      validator: { ...pageSize, schema: { ...pageSize.schema, default: DEFAULT_PAGE_SIZE } },
      description: 'The maximum number of projects of the page.',
    },
    pageToken: {
      validator: { schema: PAGE_TOKEN_SCHEMA, isOptional: true },
      description: 'The `nextPageToken` of an earlier response. An empty string means the first page.',
    },
  },
  response: 'ProjectPage',
  errors: [validationErrorOf({ pageSize: 101 }, { pageSize })],
} as const satisfies Operation;

/** Returns the validation error of an example input. */
function validationErrorOf(
  input: Readonly<Record<string, unknown>>,
  validators: Readonly<Record<string, Validator<unknown>>>,
): ApiError {
  try {
    parseFields(input, validators);
  } catch (error) {
    if (error instanceof ApiError) return error;
  }
  throw new Error('The example of invalid input is valid.');
}

/** The four operations, in the order of the specification. */
export const operations: readonly Operation[] = [createApp, signIn, updateWallet, listProjects];
