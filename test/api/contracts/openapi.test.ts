import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { fastify } from 'fastify';
import { beforeAll, expect, test } from 'vitest';
import { VERSION } from '../../../src/config.ts';
import { MAX_BODY_BYTES } from '../../../src/http/errors/error-responses.ts';
import { ERRORS } from '../../../src/model/errors.ts';
import { addRestApi } from '../../../src/rest/routes.ts';
import { type HttpResponse, send } from '../../support/both-apis.ts';
import { testFolder, useGateway, useTenant } from '../../support/gateway.ts';
import {
  fieldsOf,
  type OpenApiDocument,
  type Operation,
  objectsOf,
  operationsOf,
  type RequestField,
  reasonsIn,
} from '../../support/openapi-document.ts';
import { startProgram } from '../../support/run-command.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PUBLIC_URL = 'https://paw.example.org/base';

const LINTERS = {
  redocly: ['--config=tools/lint/redocly.yaml'],
  spectral: ['--quiet', '--fail-severity=hint', '--ruleset=tools/lint/spectral.yaml'],
};

const OPERATION_IDS = ['createApp', 'signIn', 'updateWallet', 'listProjects'] as const;

type OperationId = (typeof OPERATION_IDS)[number];

/** The values of a request's fields, by name. A field with the value undefined is omitted. */
type Values = Readonly<Record<string, unknown>>;

const gateway = useGateway({ PUBLIC_URL });
const tenant = useTenant(gateway, { projects: 12, wallets: 1 });
let served: HttpResponse;
let document: OpenApiDocument;

beforeAll(async () => {
  served = await send(`${gateway.url}/openapi.json`, 'GET');
  document = JSON.parse(served.text);
});

test('a body with all fields at their maximum length fits, even if every character is escaped', () => {
  const escaped = '\\ud83e\\udd8a'.length;
  for (const operation of operationsOf(document)) {
    const fields = fieldsOf(operation).filter(({ place }) => place === 'body');
    const lengths = fields.map(({ name, schema }) => name.length + Number(schema['maxLength'] ?? 0));
    const sum = lengths.reduce((total, length) => total + length, 0);
    expect(sum * escaped, operation.operationId).toBeLessThan(MAX_BODY_BYTES);
  }
});

test('the linters accept the served document without a warning', async () => {
  const file = join(testFolder(), 'openapi.json');
  writeFileSync(file, served.text);
  const lint = async ([linter, options]: readonly [string, readonly string[]]) => {
    const program = join(ROOT, 'test/node_modules/.bin', linter);
    const words = ['lint', '--format=json', ...options, file];
    const { status, stdout } = await startProgram(program, words, { PATH: String(process.env['PATH']) }, ROOT)
      .ended;
    const found = JSON.parse(stdout);
    return [status, found.problems ?? found];
  };
  expect(await Promise.all(Object.entries(LINTERS).map(lint))).toEqual([
    [0, []],
    [0, []],
  ]);
});

test('the document is served without a token, with the public URL', async () => {
  expect(served.status).toBe(200);
  expect(served.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(served.headers.get('access-control-allow-origin')).toBe('*');
  expect(document.servers).toEqual([{ url: PUBLIC_URL, description: expect.any(String) }]);
  expect(document.info.version).toBe(VERSION);
});

test('the document has each route of the REST API and no others', async () => {
  const routes: string[] = [];
  const app = fastify();
  app.addHook('onRoute', ({ method, url }) => {
    routes.push(`${method} ${url.replace('::', ':').replace('*', '{wallet_name}')}`);
  });
  // No request is sent, so the arguments are not used.
  const unused = Object.create(null);
  addRestApi(app, unused, unused);
  await app.ready();
  const documented = operationsOf(document).map(({ method, path }) => `${method} ${path}`);
  expect(routes.filter((route) => !route.startsWith('HEAD ')).toSorted()).toEqual(documented.toSorted());
});

// Every REST response of every test is checked the other way round: its reason is documented.
test('each documented reason is one that the gateway has', () => {
  expect(reasonsIn(document)).toContain('INVALID_FIELD');
  expect(reasonsIn(document).filter((reason) => !Object.hasOwn(ERRORS, reason))).toEqual([]);
});

test.each(OPERATION_IDS)(
  'the gateway accepts exactly the documented values of each field of %s',
  async (id) => {
    const good = await GOOD_VALUES[id]();
    const fields = fieldsOf(operationOf(id));
    const least = Object.fromEntries(
      fields.filter(({ required }) => required).map(({ name }) => [name, good[name]]),
    );
    const ajv = new Ajv2020({ formats: { int32: true } });
    const [documented, accepted]: [string[], string[]] = [[], []];
    for (const field of fields) {
      const { name, schema, required } = field;
      const isValid = ajv.compile(schema);
      for (const value of probesOf(field, good[name])) {
        const probe = `${name}: ${JSON.stringify(value)}`;
        // A schema cannot express that the gateway must have issued the token.
        const isForged = name === 'pageToken' && value && value !== good[name];
        if (value === undefined ? !required : isValid(value) && !isForged) documented.push(probe);
        const violations = violationsIn(await ask(id, { ...least, [name]: value }));
        if (violations.length === 0) accepted.push(probe);
        else expect(violations, probe).toEqual([name === 'wallet_name' ? 'name' : name]);
      }
    }
    expect(accepted).toEqual(documented);
    expect(accepted.length).toBeGreaterThan(fields.length);
  },
);

test.each(OPERATION_IDS)('the gateway accepts no undocumented field of %s', async (id) => {
  const good = await GOOD_VALUES[id]();
  const operation = operationOf(id);
  for (const { within, schema } of objectsOf(operation)) {
    expect(schema['additionalProperties']).toBe(false);
    const refusal = await ask(id, { ...good, [`${within}extra`]: 'x' });
    expect(violationsIn(refusal)).toEqual([`${within}extra`]);
    expect(knownFieldsIn(refusal)).toEqual(Object.keys(schema.properties ?? {}).toSorted());
  }
  const refusal = await ask(id, good, { extra: 'x' });
  expect(violationsIn(refusal)).toEqual(['extra']);
  const parameters = fieldsOf(operation).filter(({ place }) => place === 'query');
  expect(knownFieldsIn(refusal)).toEqual(parameters.map(({ name }) => name).toSorted());
});

test('the gateway returns a page of the documented default size', async () => {
  const size = fieldsOf(operationOf('listProjects')).find(({ name }) => name === 'pageSize');
  const { text } = await ask('listProjects', {});
  expect(JSON.parse(text).projects).toHaveLength(Number(size?.schema['default']));
});

function operationOf(id: OperationId): Operation {
  const operation = operationsOf(document).find(({ operationId }) => operationId === id);
  if (operation === undefined) throw new Error(`${id} is not documented.`);
  return operation;
}

/** Returns a valid value for each field of an operation. */
const GOOD_VALUES: Readonly<Record<OperationId, () => Values | Promise<Values>>> = {
  createApp: () => ({ title: 'Till', active: true }),
  signIn: async () => {
    const { name, privateKey } = JSON.parse((await ask('createApp', await GOOD_VALUES.createApp())).text);
    return { 'privateKey.name': name, 'privateKey.privateKey': privateKey };
  },
  updateWallet: () => {
    const [[wallet_name], [project]] = [tenant.wallets, tenant.projects];
    const texts = { title: 'Treasury', description: 'Cold', password: 'p'.repeat(32) };
    return { wallet_name, project, network: 'NETWORK_POLYGON', ...texts };
  },
  listProjects: async () => {
    const { nextPageToken } = JSON.parse((await ask('listProjects', {})).text);
    return { pageSize: 5, pageToken: nextPageToken };
  },
};

/** Returns test values for a field: around its bounds, and values that are never valid. */
function probesOf({ place, schema }: RequestField, good: unknown): readonly unknown[] {
  const around = (...keywords: string[]) =>
    keywords
      .map((keyword) => schema[keyword])
      .filter((bound) => typeof bound === 'number')
      .flatMap((bound) => [bound - 1, bound, bound + 1]);
  const lengths = around('minLength', 'maxLength').filter((length) => length >= 0);
  const texts = lengths.flatMap((length) => ['x'.repeat(length), '😀'.repeat(length)]);
  const values = [good, true, false, null, 1.5, 'x\0', '\0'.repeat(32), ...around('minimum', 'maximum')];
  values.push('', ...texts);
  if (typeof good === 'string') values.push(good.toLowerCase(), `${good}0`, good.slice(1), good.slice(0, -1));
  if (Array.isArray(schema['enum'])) values.push(...schema['enum']);
  // An empty value would give another path.
  if (place === 'path') return values.filter((value) => value !== '');
  return [undefined, ...(place === 'body' ? [{}, []] : []), ...values];
}

/** Sends a request with only these values. `search` is added to the query. */
function ask(
  id: OperationId,
  values: Values,
  search: Readonly<Record<string, string>> = {},
): Promise<HttpResponse> {
  const operation = operationOf(id);
  const places = new Map(fieldsOf(operation).map(({ name, place }) => [name, place]));
  const query = new URLSearchParams(search);
  const body: Record<string, unknown> = {};
  let { path } = operation;
  for (const [name, value] of Object.entries(values)) {
    const place = places.get(name) ?? 'body';
    if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(String(value)));
    else if (place === 'query' && value !== undefined) query.set(name, String(value));
    else if (place === 'body') setField(body, name, value);
  }
  const url = `${gateway.url}${path}?${query}`;
  return send(url, operation.method, tenant.token, operation.requestBody && body);
}

function violationsIn({ status, text }: HttpResponse): readonly string[] {
  if (status !== 400) return [];
  const [, badRequest] = JSON.parse(text).error.details;
  return badRequest.fieldViolations.map(({ field }: { field: string }) => field);
}

/** The known fields that the refusal of an unknown one lists. */
function knownFieldsIn({ text }: HttpResponse): readonly string[] {
  const [, list = 'none'] = /Known fields: (.+?)\.$/.exec(JSON.parse(text).error.message) ?? [];
  return list === 'none' ? [] : list.split(', ').toSorted();
}

/** Sets a field of a body or of a nested object. */
function setField(body: Record<string, unknown>, name: string, value: unknown): void {
  const [outer = '', inner] = name.split('.');
  const object = body[outer] ?? {};
  body[outer] = inner === undefined ? value : { ...object, [inner]: value };
}
