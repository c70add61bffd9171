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

/** The JSON Schemas of a response's fields: exactly the fields of its view. */
type FieldsOf<View extends (...args: never) => object> = Readonly<Record<keyof ReturnType<View>, JsonSchema>>;

const EMPTY = { type: 'string', const: '' };

const app: FieldsOf<typeof appView> = {
  name: { ...resourceNameValidator('apps').schema, description: 'The unique name.' },
  title: { ...title.schema, description: 'The title.' },
  privateKey: {
    anyOf: [credential('key'), EMPTY],
    description:
      'The private key for signing in. Only the response to the creation of the app contains it; in all others it is an empty string.',
  },
  active: { ...boolean.schema, description: 'Whether the app can sign in.' },
};

const signInResult: FieldsOf<typeof signInView> = {
  accessToken: {
    ...credential('app'),
    description: 'A project token: a bearer token for the project of the app.',
  },
  app: { $ref: '#/components/schemas/App', description: 'The app that signed in, without its private key.' },
};

const project: FieldsOf<typeof projectView> = {
  name: { ...resourceNameValidator('projects').schema, description: 'The unique name.' },
  title: { ...title.schema, description: 'The title.' },
  description: { ...description.schema, description: 'A short description. May be empty.' },
  imageCoverUrl: {
    type: 'string',
    format: 'uri',
    maxLength: 2000,
    description: 'The URL of the cover image, an SVG generated from the name of the project.',
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
    description: 'The projects of the page, sorted by name, which is the order of creation.',
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
    description:
      'The address on the network, with the checksum of EIP-55. Assigned by the service, read-only.',
  },
  password: { ...EMPTY, description: 'Always an empty string: passwords are never returned.' },
};

// A violation contains the name of an unknown field, whose length only the size of the body limits.
const MAX_TEXT_LENGTH = 2 * MAX_BODY_BYTES;

const error: JsonSchema = {
  type: 'object',
  description: 'An error. Source: AIP-193.',
  required: ['error'],
  additionalProperties: false,
  properties: {
    error: object('The error.', {
      code: { type: 'integer', format: 'int32', minimum: 400, maximum: 503, description: 'The HTTP status.' },
      message: {
        ...plain(MAX_TEXT_LENGTH),
        description: 'A description of the error in English, for developers.',
      },
      status: {
        type: 'string',
        enum: STATUSES,
        description: 'The canonical name of the status. Source: google.rpc.Code.',
      },
      details: {
        type: 'array',
        description: 'The reason, and the invalid fields if there are any.',
        minItems: 1,
        maxItems: 2,
        items: {
          oneOf: [{ $ref: '#/components/schemas/ErrorInfo' }, { $ref: '#/components/schemas/BadRequest' }],
        },
      },
    }),
  },
};

const errorInfo = object('The machine-readable reason of an error.', {
  '@type': { type: 'string', const: ERROR_INFO, description: 'The type of this detail.' },
  reason: {
    type: 'string',
    pattern: '^[A-Z][A-Z_]+$',
    maxLength: 63,
    description: 'A machine-readable constant.',
  },
  domain: { type: 'string', const: DOMAIN, description: 'The service that defines the reason.' },
  metadata: object('The request in the log.', {
    requestId: { ...plain(100), description: 'The value of the header X-Request-Id.' },
  }),
});

const badRequest = object('The invalid fields.', {
  '@type': { type: 'string', const: BAD_REQUEST, description: 'The type of this detail.' },
  fieldViolations: {
    type: 'array',
    description: 'One violation per invalid field.',
    minItems: 1,
    maxItems: MAX_VIOLATIONS,
    items: object('One invalid field.', {
      field: { ...plain(MAX_TEXT_LENGTH), description: 'The path of the field, with dots between levels.' },
      description: { ...plain(1000), description: 'A description of the valid values.' },
    }),
  },
});

/** The schemas of the responses, by their names in the OpenAPI document. Source: JSON Schema 2020-12. */
export const responseSchemas = {
  App: object('An app: a credential of one project.', app),
  SignInResult: object('A project token, and its app.', signInResult),
  Wallet: object('A wallet on a blockchain network.', wallet),
  Project: object('A project, which contains apps and wallets.', project),
  ProjectPage: object('One page of projects.', page),
  Error: error,
  ErrorInfo: errorInfo,
  BadRequest: badRequest,
};

/** Returns the schema of an object with exactly these fields, all of them required. */
function object(description: string, properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return {
    type: 'object',
    description,
    required: Object.keys(properties),
    additionalProperties: false,
    properties,
  };
}

/** Returns the schema of a text that has no validator. */
function plain(maxLength: number): JsonSchema {
  return { type: 'string', maxLength, pattern: '^[^\\u0000]*$' };
}

/** Returns the schema of a credential. */
function credential(kind: 'app' | 'key'): JsonSchema {
  return { type: 'string', maxLength: 134, pattern: `^paw_${kind}_[0-9A-HJKMNP-TV-Z]{52}_[0-9a-f]{72}$` };
}
