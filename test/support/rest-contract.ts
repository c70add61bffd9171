import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';
import { parse } from 'yaml';
import type { HttpResponse } from './both-apis.ts';
import { type OpenApiDocument, operationsOf, responseOf } from './openapi-document.ts';

const ERROR = '#/components/schemas/ErrorResponse';

const document: OpenApiDocument = parse(
  readFileSync(new URL('../../schema/openapi.yaml', import.meta.url), 'utf8'),
);

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
 * Checks a response of the REST API against the contract.
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

  if (operation === undefined) expect([400, 404, 405], what).toContain(status);
  const response = operation && responseOf(document, operation, status);
  expect(headers.get('content-type'), what).toBe('application/json; charset=utf-8');
  expect(headers.get('cache-control'), what).toBe('no-store');
  expect(headers.get('x-content-type-options'), what).toBe('nosniff');
  for (const [name, { required, schema }] of Object.entries(document.components.headers)) {
    const value = headers.get(name);
    const isOwn = response?.headers[name] !== undefined && '$ref' in response.headers[name];
    if (value === null && !(required && isOwn)) continue;
    expect(errorsOf(ajv.compile(schema), value), `${what} with ${name}`).toEqual([]);
  }
  if (method === 'HEAD') {
    expect(text, what).toBe('');
    return;
  }

  const body = JSON.parse(text);
  const { $ref } = response?.content['application/json'].schema ?? { $ref: ERROR };
  expect(errorsOf(ajv.getSchema(`openapi${$ref}`), body), what).toEqual([]);
  if (operation === undefined || $ref !== ERROR) return;
  const reason = `\`${body.error.details[0].reason}\``;
  const isNamed = operation.responses[status] !== undefined;
  expect(response?.description, what).toContain(isNamed ? reason : `${status} ${reason}`);
}

/** Returns the validation errors of a value. */
function errorsOf(validate: ReturnType<typeof ajv.getSchema>, value: unknown): unknown {
  if (validate === undefined) return 'There is no such schema.';
  validate(value);
  return validate.errors ?? [];
}
