import { STATUS_CODES } from 'node:http';
import type { FastifyInstance } from 'fastify';
import {
  bodyTooLarge,
  CHALLENGES,
  expectationFailed,
  headersOf,
  MAX_BODY_BYTES,
  malformedRequest,
  notImplemented,
  requestTimeout,
  statusCodeOf,
  tokenMissing,
  unsupportedMediaType,
} from '../http/http-error.ts';
import { REPLAYED_HEADER } from '../http/idempotency.ts';
import { JSON_TYPE } from '../http/json.ts';
import {
  type ApiError,
  idempotencyKeyInUse,
  idempotencyKeyReused,
  internal,
  overloaded,
  rateLimited,
  resultUnknown,
  tokenInvalid,
  tooManyConcurrentRequests,
  tooManyIdempotencyKeys,
  unavailable,
} from '../model/api-error.ts';
import type { JsonSchema } from '../model/fields.ts';
import { restErrorBody } from './error-body.ts';
import { examples } from './examples.ts';
import { type Operation, operations, type RequestFields } from './operations.ts';
import { responseSchemas } from './response-schemas.ts';

type Json = Readonly<Record<string, unknown>>;

const DESCRIPTION = `The REST API of the PAW gateway: projects, apps and wallets.

Every operation requires a valid bearer token. A resource that is not visible to the token is treated as missing.
An unknown path gives 404, and an unsupported method gives 405 with the header \`Allow\`; both have the format of
all errors. Every path with GET also supports HEAD. Unknown fields and parameters are rejected.`;

const TAGS = {
  Apps: 'Apps, which are the credentials of a project, and sign-in.',
  Wallets: 'Wallets on a blockchain network.',
  Projects: 'Projects, which contain apps and wallets.',
};

const HEADERS = {
  'X-Request-Id': {
    required: true,
    description: 'The id of the request in the log of the server.',
    schema: { type: 'string', maxLength: 100, pattern: '^[A-Za-z0-9_.:-]+$' },
  },
  'Cache-Control': {
    required: true,
    description: 'Responses contain private data and must not be stored.',
    schema: { type: 'string', const: 'no-store' },
  },
  'X-Content-Type-Options': {
    required: true,
    description: 'Prevents browsers from guessing another media type than JSON.',
    schema: { type: 'string', const: 'nosniff' },
  },
  'Access-Control-Allow-Origin': {
    required: false,
    description: 'The origin of the request, if the configuration allows it.',
    schema: { type: 'string', maxLength: 2000, pattern: '^[!-~]+$' },
  },
  'RateLimit-Policy': {
    required: false,
    description:
      'The rate limit that applies to the request: its name, quota (q) and window in seconds (w). Source: draft-ietf-httpapi-ratelimit-headers-10.',
    schema: { type: 'string', maxLength: 100, pattern: '^"(credential|account|address)";q=[0-9]+;w=[0-9]+$' },
  },
  RateLimit: {
    required: false,
    description:
      'The state of the rate limit: the requests that remain (r), and the seconds until it is reset (t).',
    schema: { type: 'string', maxLength: 100, pattern: '^"(credential|account|address)";r=[0-9]+;t=[0-9]+$' },
  },
  'Idempotency-Replayed': {
    required: false,
    description:
      'Set if the request was repeated with its `Idempotency-Key`, and this is the first response again.',
    schema: { type: 'string', const: 'true' },
  },
  'WWW-Authenticate': {
    required: true,
    description: 'The challenge. Source: RFC 6750.',
    schema: { type: 'string', enum: CHALLENGES },
  },
  'Retry-After': {
    required: true,
    description: 'The number of seconds to wait before a retry.',
    schema: { type: 'string', maxLength: 4, pattern: '^[1-9][0-9]*$' },
  },
};

const COMMON_HEADERS = [
  'X-Request-Id',
  'Cache-Control',
  'X-Content-Type-Options',
  'Access-Control-Allow-Origin',
  'RateLimit-Policy',
  'RateLimit',
];

const EXAMPLE_REQUEST_ID = '01m7xvfap0-1';

/** The errors that every operation can return. */
const COMMON_ERRORS = [
  tokenMissing(),
  tokenInvalid(),
  requestTimeout(),
  expectationFailed(),
  malformedRequest('The header of the request is too long.', 431),
  internal(undefined),
  rateLimited(60),
  tooManyConcurrentRequests(),
  notImplemented('The only supported transfer coding is chunked.'),
  overloaded(),
  unavailable(),
];

const NO_BODY_ERRORS = [malformedRequest('The request has no Host header.')];

const BODY_ERRORS = [
  malformedRequest('The body is not valid JSON in UTF-8.'),
  bodyTooLarge(),
  unsupportedMediaType(),
  idempotencyKeyInUse(),
  idempotencyKeyReused(),
  tooManyIdempotencyKeys(),
  resultUnknown(undefined),
];

/**
 * Adds the route of the OpenAPI document, `/openapi.json`. It needs no token.
 *
 * @param publicUrl returns the public URL of the gateway, without a trailing slash; called on the first request
 */
export function addOpenApi(app: FastifyInstance, version: string, publicUrl: () => string): void {
  let text: string | undefined;
  app.get('/openapi.json', async (_request, reply) => {
    text ??= JSON.stringify(openApiDocument(version, publicUrl()), undefined, 2);
    // Tools on any origin can load the document: it is public.
    reply.header('access-control-allow-origin', '*').header('cache-control', 'public, max-age=300');
    return reply.type(JSON_TYPE).send(text);
  });
}

/**
 * Returns the OpenAPI document, generated from the definitions that the routes use.
 * Source: OpenAPI 3.1.1.
 *
 * @param publicUrl the public URL of the gateway, without a trailing slash
 */
export function openApiDocument(version: string, publicUrl: string): Json {
  return {
    openapi: '3.1.1',
    info: { title: 'PAW gateway', version, description: DESCRIPTION },
    servers: [{ url: publicUrl, description: 'This gateway.' }],
    security: [{ bearerToken: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: Object.fromEntries(
      operations.map((operation) => [
        operation.path,
        { [operation.method.toLowerCase()]: describeOperation(operation) },
      ]),
    ),
    components: {
      securitySchemes: {
        bearerToken: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An account token, which `paw token create` issues, or a project token, which a sign-in issues. Opaque. Source: RFC 6750.',
        },
      },
      parameters: {
        requestId: {
          name: 'X-Request-Id',
          in: 'header',
          required: false,
          description:
            'An id of the client for the request. It is in the log of the server, beside the id of the response. Ignored if its format is invalid.',
          schema: { type: 'string', maxLength: 100, pattern: '^[A-Za-z0-9_.:-]{1,100}$' },
        },
        idempotencyKey: {
          name: 'Idempotency-Key',
          in: 'header',
          required: false,
          description:
            'A key that makes the request repeatable: for 24 hours, the same request with the same key and token has the same response, and is not executed again. A new key should be random, such as a UUID.',
          schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]{1,255}$' },
        },
      },
      headers: HEADERS,
      schemas: responseSchemas,
    },
  };
}

function describeOperation(operation: Operation): Json {
  const { id, tag, summary, description, pathParameters = {}, query = {}, body, response } = operation;
  const { parameters = {}, body: bodyExample, response: responseExample } = examples[id];
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    parameters: [
      { $ref: '#/components/parameters/requestId' },
      ...(body ? [{ $ref: '#/components/parameters/idempotencyKey' }] : []),
      ...describeParameters('path', pathParameters, parameters),
      ...describeParameters('query', query, parameters),
    ],
    ...(body && {
      requestBody: {
        required: true,
        description: `A JSON object of at most ${MAX_BODY_BYTES} bytes.`,
        content: { 'application/json': { schema: describeObject(body), example: bodyExample } },
      },
    }),
    responses: {
      200: {
        description: 'Success.',
        headers: describeHeaders(body ? [REPLAYED_HEADER] : []),
        content: {
          'application/json': {
            schema: { $ref: `#/components/schemas/${response}` },
            example: responseExample,
          },
        },
      },
      ...describeErrors(operation),
    },
  };
}

function describeParameters(
  location: 'path' | 'query',
  fields: RequestFields,
  values: Readonly<Record<string, unknown>>,
): readonly Json[] {
  return Object.entries(fields).map(([name, { description, validator }]) => ({
    name,
    in: location,
    required: location === 'path',
    description,
    schema: validator?.schema,
    ...(Object.hasOwn(values, name) && { example: values[name] }),
  }));
}

function describeObject(fields: RequestFields): JsonSchema {
  const entries = Object.entries(fields);
  return {
    type: 'object',
    required: entries.filter(([, { validator }]) => !validator?.isOptional).map(([name]) => name),
    additionalProperties: false,
    properties: Object.fromEntries(
      entries.map(([name, { description, validator, fields: nested }]) => [
        name,
        { ...(nested ? describeObject(nested) : validator?.schema), description },
      ]),
    ),
  };
}

/** Describes the error responses of an operation by HTTP status, with an example for each reason. */
function describeErrors({ body, errors: ownErrors }: Operation): Json {
  const all = [...ownErrors, ...(body ? BODY_ERRORS : NO_BODY_ERRORS), ...COMMON_ERRORS];
  const byStatus = Map.groupBy(all, statusCodeOf);
  return Object.fromEntries(
    [...byStatus].map(([status, errors]) => [
      status,
      {
        description: `${STATUS_CODES[status]}: ${errors.map(({ reason }) => `\`${reason}\``).join(', ')}.`,
        headers: describeHeaders(errors.flatMap((error) => Object.keys(headersOf(error)))),
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/Error' },
            examples: Object.fromEntries(errors.map((error) => [error.reason, exampleOf(error)])),
          },
        },
      },
    ]),
  );
}

function exampleOf(error: ApiError): Json {
  return { summary: error.message, value: JSON.parse(restErrorBody(error, EXAMPLE_REQUEST_ID)) };
}

/** Describes the common headers and the named ones. */
function describeHeaders(more: readonly string[]): Json {
  const names = Object.keys(HEADERS).filter(
    (name) => COMMON_HEADERS.includes(name) || more.includes(name.toLowerCase()),
  );
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
