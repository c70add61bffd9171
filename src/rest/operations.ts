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

/** A field of a request. What the validator checks is the operation's affair: here it tells what to send. */
export type RequestField = {
  readonly description: string;
  /** Stands for one value; `fields` for an object. */
  readonly validator?: Pick<Validator<unknown>, 'schema' | 'isOptional'>;
  readonly fields?: RequestFields;
};

/** The fields of a request, by name. */
export type RequestFields = Readonly<Record<string, RequestField>>;

export type OperationId = 'createApp' | 'signIn' | 'updateWallet' | 'listProjects';

/** One of the four operations, as REST has it. The routes and the published document are made from it. */
export type Operation = {
  readonly id: OperationId;
  readonly method: 'GET' | 'PATCH' | 'POST';
  /** The path as OpenAPI writes it. */
  readonly path: string;
  /** The path as the router writes it. */
  readonly route: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** What stands in the braces of the path. */
  readonly inPath?: RequestFields;
  readonly query?: RequestFields;
  readonly body?: RequestFields;
  readonly answer: keyof typeof responseSchemas;
  /** The errors that are this operation's own. */
  readonly refusals: readonly ApiError[];
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
    'Creates an app in the default project of the account, or in the one that the account token was made for. Needs an account token. The answer is the only one that carries the app’s private key.',
  body: {
    title: { validator: title, description: 'The title of the app.' },
    active: { validator: active, description: 'Whether the app may sign in.' },
  },
  answer: 'App',
  refusals: [refusalOf({ title: '' }, { title, active }), accountTokenRequired()],
} as const satisfies Operation;

export const signIn = {
  id: 'signIn',
  method: 'POST',
  path: '/auth/accounts:signinIdentity',
  // A colon stands for itself where it is doubled.
  route: '/auth/accounts::signinIdentity',
  tag: 'Apps',
  summary: 'Sign in with an app',
  description:
    'Exchanges an app’s private key for a project-level access token. An account token may sign in any app of its account, a project token any app of its project.',
  body: {
    privateKey: {
      description: 'The credential of the app.',
      fields: {
        name: { validator: signInFields.name, description: 'The name of the app.' },
        privateKey: { validator: signInFields.privateKey, description: 'The key that its creation gave.' },
      },
    },
  },
  answer: 'SignInResult',
  refusals: [
    refusalOf({ 'privateKey.name': 'till' }, { 'privateKey.name': signInFields.name }),
    invalidCredentials(),
    appInactive(),
  ],
} as const satisfies Operation;

const { name, ...changes } = updateWalletFields;

export const updateWallet = {
  id: 'updateWallet',
  method: 'PATCH',
  path: '/wallet/{wallet_name}',
  // The slash of the wallet's name may come plain or as %2F.
  route: '/wallet/*',
  tag: 'Wallets',
  summary: 'Update a wallet',
  description:
    'Changes the given fields of a wallet and leaves the others as they are. An account token may change any wallet of its account, a project token any wallet of its project.',
  inPath: {
    wallet_name: {
      validator: name,
      description: 'The name of the wallet. Its slash may come plain or as `%2F`.',
    },
  },
  body: {
    title: { validator: changes.title, description: 'The new title.' },
    description: { validator: changes.description, description: 'The new description. Empty, it clears it.' },
    project: {
      validator: changes.project,
      description: 'The project that will contain the wallet. The token must be able to see it.',
    },
    network: {
      validator: changes.network,
      description:
        'The new network. `NETWORK_ETHEREUM_RINKERBY` is another spelling of `NETWORK_ETHEREUM_RINKEBY`.',
    },
    password: { validator: changes.password, description: 'The new password.' },
  },
  answer: 'Wallet',
  refusals: [
    refusalOf({ password: 'short' }, { password: changes.password }),
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
    'Lists the projects that the token can see, one page at a time: for an account token all projects of the account, for a project token its one project.',
  query: {
    pageSize: {
      validator: { ...pageSize, schema: { ...pageSize.schema, default: DEFAULT_PAGE_SIZE } },
      description: 'The most projects that the page may hold.',
    },
    pageToken: {
      validator: { schema: PAGE_TOKEN_SCHEMA, isOptional: true },
      description: 'The `nextPageToken` of an earlier answer. Empty, it is the same as none.',
    },
  },
  answer: 'ProjectPage',
  refusals: [refusalOf({ pageSize: 101 }, { pageSize })],
} as const satisfies Operation;

/** The error that a request gets for these fields. */
function refusalOf(
  sent: Readonly<Record<string, unknown>>,
  validators: Readonly<Record<string, Validator<unknown>>>,
): ApiError {
  try {
    parseFields(sent, validators);
  } catch (error) {
    if (error instanceof ApiError) return error;
  }
  throw new Error('The example of a refusal is valid input.');
}

/** The four operations, in the order of the specification. */
export const operations: readonly Operation[] = [createApp, signIn, updateWallet, listProjects];
