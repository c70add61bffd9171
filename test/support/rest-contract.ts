import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';
import { openApiDocument } from '../../src/rest/openapi.ts';
import type { HttpResponse } from './apis.ts';
import { type OpenApiDocument, operationsOf } from './openapi-document.ts';

const ERROR = '#/components/schemas/Error';

const document: OpenApiDocument = JSON.parse(JSON.stringify(openApiDocument('0.0.0', 'http://127.0.0.1')));

const ajv = addFormats
  .default(new Ajv2020({ allErrors: true }))
  // The validator ignores the parts of the document that are not schemas.
  .addVocabulary(Object.keys(document))
  .addSchema(document, 'openapi', false, false);

const operations = operationsOf(document).map((operation) => ({
  ...operation,
  pattern: new RegExp(
    `^${operation.path
      .split(/\{\w+\}/)
      .map(RegExp.escape)
      .join('.*')}$`,
  ),
}));

/**
 * Checks a response of the REST API against the OpenAPI document.
 *
 * @param path the path of the request, without the query
 */
export function expectDocumented(
  method: string,
  path: string,
  { status, headers, text }: HttpResponse,
): void {
  const what = `${method} ${path} is answered by ${status}`;
  const operation = operations.find(
    (each) => each.pattern.test(path) && each.method === method.replace('HEAD', 'GET'),
  );
  if (operation === undefined && method === 'OPTIONS' && status === 204) return;

  const response = operation?.responses[status];
  if (operation === undefined) expect([400, 404, 405], what).toContain(status);
  else expect(Object.keys(operation.responses), what).toContain(String(status));
  expect(headers.get('content-type'), what).toBe('application/json; charset=utf-8');
  for (const name of Object.keys(response?.headers ?? {})) expectHeader(name, headers.get(name), what);
  if (method === 'HEAD') {
    expect(text, what).toBe('');
    return;
  }

  const { schema, examples } = response?.content['application/json'] ?? { schema: { $ref: ERROR } };
  const body = JSON.parse(text);
  expect(errorsOf(ajv.getSchema(`openapi${schema.$ref}`), body), what).toEqual([]);
  if (examples) expect(Object.keys(examples), what).toContain(body.error.details[0].reason);
}

function expectHeader(name: string, value: string | null, what: string): void {
  const header = document.components.headers[name];
  if (value === null && header?.required === false) return;
  expect(errorsOf(header && ajv.compile(header.schema), value), `${what} with ${name}`).toEqual([]);
}

/** Returns the validation errors of a value. */
function errorsOf(validate: ReturnType<typeof ajv.getSchema>, value: unknown): unknown {
  if (validate === undefined) return 'There is no such schema.';
  validate(value);
  return validate.errors ?? [];
}
