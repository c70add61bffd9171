import { STATUS_CODES } from 'node:http';
import type { FastifyInstance } from 'fastify';
import {
  bodyTooLarge,
  CHALLENGES,
  headersOf,
  MAX_BODY_BYTES,
  malformedRequest,
  statusCodeOf,
  tokenMissing,
  unsupportedMediaType,
} from '../http/http-error.ts';
import { JSON_TYPE } from '../http/json.ts';
import { type ApiError, internal, tokenInvalid, unavailable } from '../model/api-error.ts';
import type { JsonSchema } from '../model/fields.ts';
import { restErrorBody } from './error-body.ts';
import { examples } from './examples.ts';
import { type Operation, operations, type RequestFields } from './operations.ts';
import { responseSchemas } from './response-schemas.ts';

type Json = Readonly<Record<string, unknown>>;

const DESCRIPTION = `The REST API of the PAW gateway: projects, apps and wallets.

Every operation needs a live bearer token. What a token cannot see does not exist for it. Other paths are
answered by 404, and other methods by 405 with the header \`Allow\`, in the same shape as all errors; HEAD goes
where GET does. Fields and parameters that are not named here are refused.`;

const TAGS = {
  Apps: 'Credentials of a project, and signing in with them.',
  Wallets: 'Wallets, bound to a blockchain network.',
  Projects: 'The scopes that apps and wallets belong to.',
};

const HEADERS = {
  'X-Request-Id': {
    required: true,
    description: 'What to find the request by in the log: the one that was sent, or else a new one.',
    schema: { type: 'string', maxLength: 100, pattern: '^[A-Za-z0-9_.:-]+$' },
  },
  'Cache-Control': {
    required: true,
    description: 'Answers hold what only their token may see.',
    schema: { type: 'string', const: 'no-store' },
  },
  'X-Content-Type-Options': {
    required: true,
    description: 'Keeps a browser from taking the answer for anything but JSON.',
    schema: { type: 'string', const: 'nosniff' },
  },
  'Access-Control-Allow-Origin': {
    required: false,
    description: 'The origin of the request, where the gateway is set to let it in.',
    schema: { type: 'string', maxLength: 2000, pattern: '^[!-~]+$' },
  },
  'WWW-Authenticate': {
    required: true,
    description: 'The challenge of RFC 6750.',
    schema: { type: 'string', enum: CHALLENGES },
  },
  'Retry-After': {
    required: true,
    description: 'After how many seconds to try again.',
    schema: { type: 'string', maxLength: 4, pattern: '^[1-9][0-9]*$' },
  },
};

const COMMON_HEADERS = [
  'X-Request-Id',
  'Cache-Control',
  'X-Content-Type-Options',
  'Access-Control-Allow-Origin',
];

const EXAMPLE_REQUEST_ID = '01m7xvfap0-1';

/** The errors that are no operation's own. */
const COMMON_REFUSALS = [
  tokenMissing(),
  tokenInvalid(),
  malformedRequest('The request could not be read in time.', 408),
  malformedRequest('The header of the request is too long.', 431),
  internal(undefined),
  unavailable(),
];

const BODILESS_REFUSALS = [malformedRequest('The request lacks the header Host.')];

const BODY_REFUSALS = [
  malformedRequest('The body is not JSON in UTF-8.'),
  bodyTooLarge(),
  unsupportedMediaType(),
];

/**
 * Adds the description of the REST API, at `/openapi.json`. It needs no token.
 *
 * @param publicUrl tells the URL that clients reach the gateway at, once it is known
 */
export function addOpenApi(app: FastifyInstance, version: string, publicUrl: () => string): void {
  let text: string | undefined;
  app.get('/openapi.json', async (_request, reply) => {
    text ??= JSON.stringify(openApiDocument(version, publicUrl()), undefined, 2);
    // For the tools of other origins, which have no token to lose here.
    reply.header('access-control-allow-origin', '*').header('cache-control', 'public, max-age=300');
    return reply.type(JSON_TYPE).send(text);
  });
}

/**
 * The description of the REST API, made from what the routes are made from.
 * Source: OpenAPI 3.1.1.
 *
 * @param publicUrl the URL that clients reach the gateway at, without a slash at its end
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
            'An account token, made by `paw token create`, or a project token, given by signing in with an app. Opaque. Source: RFC 6750.',
        },
      },
      parameters: {
        requestId: {
          name: 'X-Request-Id',
          in: 'header',
          required: false,
          description: 'A name for the request, for the log. Ignored if it is not of this form.',
          schema: { type: 'string', maxLength: 100, pattern: '^[A-Za-z0-9_.:-]{1,100}$' },
        },
      },
      headers: HEADERS,
      schemas: responseSchemas,
    },
  };
}

function describeOperation(operation: Operation): Json {
  const { id, tag, summary, description, inPath = {}, query = {}, body, answer } = operation;
  const { parameters = {}, body: bodyExample, answer: answerExample } = examples[id];
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    parameters: [
      { $ref: '#/components/parameters/requestId' },
      ...describeParameters('path', inPath, parameters),
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
        description: 'Done.',
        headers: describeHeaders([]),
        content: {
          'application/json': { schema: { $ref: `#/components/schemas/${answer}` }, example: answerExample },
        },
      },
      ...describeRefusals(operation),
    },
  };
}

function describeParameters(
  place: 'path' | 'query',
  fields: RequestFields,
  values: Readonly<Record<string, unknown>>,
): readonly Json[] {
  return Object.entries(fields).map(([name, { description, validator }]) => ({
    name,
    in: place,
    required: place === 'path',
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
      entries.map(([name, { description, validator, fields: within }]) => [
        name,
        { ...(within ? describeObject(within) : validator?.schema), description },
      ]),
    ),
  };
}

/** The responses by which an operation refuses, each with an example of every reason there is. */
function describeRefusals({ body, refusals }: Operation): Json {
  const all = [...refusals, ...(body ? BODY_REFUSALS : BODILESS_REFUSALS), ...COMMON_REFUSALS];
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

/** The headers that all responses have, and those named. */
function describeHeaders(more: readonly string[]): Json {
  const names = Object.keys(HEADERS).filter(
    (name) => COMMON_HEADERS.includes(name) || more.includes(name.toLowerCase()),
  );
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
