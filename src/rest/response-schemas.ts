import { MAX_BODY_BYTES } from '../http/http-error.ts';
import { MAX_VIOLATIONS, STATUSES } from '../model/api-error.ts';
import {
  address,
  boolean,
  description,
  type JsonSchema,
  resourceNameValidator,
  title,
} from '../model/fields.ts';
import { NETWORKS } from '../model/network.ts';
import { MAX_PAGE_SIZE } from '../model/page.ts';
import { PAGE_TOKEN_SCHEMA } from '../model/page-token.ts';
import { BAD_REQUEST, DOMAIN, ERROR_INFO } from './error-body.ts';
import type { appView, pageView, projectView, signInView, walletView } from './views.ts';

/** The fields of an answer, each as a JSON Schema: those of its view, neither more nor less. */
type FieldsOf<View extends (...args: never) => object> = Readonly<Record<keyof ReturnType<View>, JsonSchema>>;

const EMPTY = { type: 'string', const: '' };

const app: FieldsOf<typeof appView> = {
  name: { ...resourceNameValidator('apps').schema, description: 'The unique name.' },
  title: { ...title.schema, description: 'The title.' },
  privateKey: {
    anyOf: [credential('key'), EMPTY],
    description:
      'The secret key to sign in with. It is given once, in the answer to the creation of the app, and is an empty string everywhere else.',
  },
  active: { ...boolean.schema, description: 'Whether the app may sign in.' },
};

const signInResult: FieldsOf<typeof signInView> = {
  accessToken: {
    ...credential('app'),
    description: 'A bearer token for the resources of the app’s project alone.',
  },
  app: { $ref: '#/components/schemas/App', description: 'The app that signed in. Its key is left out.' },
};

const project: FieldsOf<typeof projectView> = {
  name: { ...resourceNameValidator('projects').schema, description: 'The unique name.' },
  title: { ...title.schema, description: 'The title.' },
  description: { ...description.schema, description: 'A short description. May be empty.' },
  imageCoverUrl: {
    type: 'string',
    format: 'uri',
    maxLength: 2000,
    description: 'Where the cover image, an SVG made from the project’s name, is served.',
  },
  imageCoverCid: {
    type: 'string',
    maxLength: 59,
    pattern: '^bafkrei[a-z2-7]{52}$',
    description: 'The IPFS content identifier of the cover image: the CIDv1 of its bytes (raw, SHA-256).',
  },
};

const page: FieldsOf<typeof pageView> = {
  projects: {
    type: 'array',
    items: { $ref: '#/components/schemas/Project' },
    maxItems: MAX_PAGE_SIZE,
    description: 'The projects of the page, by name, which is the order of their creation.',
  },
  nextPageToken: {
    ...PAGE_TOKEN_SCHEMA,
    description: 'The `pageToken` of the next page, or an empty string if this is the last one.',
  },
};

const wallet: FieldsOf<typeof walletView> = {
  name: { ...resourceNameValidator('wallets').schema, description: 'The unique name.' },
  title: { ...title.schema, description: 'The title.' },
  description: { ...description.schema, description: 'A short description. May be empty.' },
  project: {
    ...resourceNameValidator('projects').schema,
    description: 'The project that contains the wallet.',
  },
  network: { type: 'string', enum: NETWORKS, description: 'The blockchain network.' },
  address: {
    ...address.schema,
    description: 'The address on the network, with the checksum of EIP-55. It is assigned by the service.',
  },
  password: { ...EMPTY, description: 'Always an empty string: a password is never given back.' },
};

// A violation repeats the name of an unknown field, which is as long as the client made it.
const MAX_TEXT_LENGTH = 2 * MAX_BODY_BYTES;

const error: JsonSchema = {
  type: 'object',
  description: 'What is answered instead, in the shape of AIP-193.',
  required: ['error'],
  additionalProperties: false,
  properties: {
    error: object('What went wrong.', {
      code: { type: 'integer', format: 'int32', minimum: 400, maximum: 503, description: 'The HTTP status.' },
      message: { ...plain(MAX_TEXT_LENGTH), description: 'The problem, in English, for a developer.' },
      status: {
        type: 'string',
        enum: STATUSES,
        description: 'The canonical name of the kind of problem.',
      },
      details: {
        type: 'array',
        description: 'The reason, and the fields at fault if there are any.',
        minItems: 1,
        maxItems: 2,
        items: {
          oneOf: [{ $ref: '#/components/schemas/ErrorInfo' }, { $ref: '#/components/schemas/BadRequest' }],
        },
      },
    }),
  },
};

const errorInfo = object('Why a request failed, for a program.', {
  '@type': { type: 'string', const: ERROR_INFO, description: 'The type of this detail.' },
  reason: {
    type: 'string',
    pattern: '^[A-Z][A-Z_]+$',
    maxLength: 63,
    description: 'A constant that a program can act on.',
  },
  domain: { type: 'string', const: DOMAIN, description: 'Who gives the reason.' },
  metadata: object('What to find the request by in the log.', {
    requestId: { ...plain(100), description: 'The same as the header X-Request-Id.' },
  }),
});

const badRequest = object('The fields at fault.', {
  '@type': { type: 'string', const: BAD_REQUEST, description: 'The type of this detail.' },
  fieldViolations: {
    type: 'array',
    description: 'What is wrong with each field.',
    minItems: 1,
    maxItems: MAX_VIOLATIONS,
    items: object('What is wrong with one field.', {
      field: { ...plain(MAX_TEXT_LENGTH), description: 'The field, with dots between levels.' },
      description: { ...plain(1000), description: 'What the field must be.' },
    }),
  },
});

/** The schemas of the responses, by the names that the document gives them. Source: JSON Schema 2020-12. */
export const responseSchemas = {
  App: object('An app: a credential of one project.', app),
  SignInResult: object('A project-level access token, and whose it is.', signInResult),
  Wallet: object('A wallet, bound to a blockchain network.', wallet),
  Project: object('A project: the scope that apps and wallets belong to.', project),
  ProjectPage: object('One page of projects.', page),
  Error: error,
  ErrorInfo: errorInfo,
  BadRequest: badRequest,
};

/** An object that has all of these fields and no others. */
function object(description: string, properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return {
    type: 'object',
    description,
    required: Object.keys(properties),
    additionalProperties: false,
    properties,
  };
}

/** Text of ours, which has no validator. */
function plain(maxLength: number): JsonSchema {
  return { type: 'string', maxLength, pattern: '^[^\\u0000]*$' };
}

/** What a credential looks like. */
function credential(kind: 'app' | 'key'): JsonSchema {
  return { type: 'string', maxLength: 134, pattern: `^paw_${kind}_[0-9A-HJKMNP-TV-Z]{52}_[0-9a-f]{72}$` };
}
