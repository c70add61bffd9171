import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { fastify } from 'fastify';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { addRestApi } from '../../src/rest/routes.ts';
import { VERSION } from '../../src/version.ts';
import { type HttpResponse, send } from '../support/apis.ts';
import { type Gateway, seedTenant, startGateway, type Tenant } from '../support/gateway.ts';
import {
  fieldsOf,
  OPERATION_IDS,
  type OpenApiDocument,
  type OperationId,
  objectsOf,
  operationOf,
  operationsOf,
  type RequestField,
} from '../support/openapi-document.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PUBLIC_URL = 'https://paw.example.org/base';

const LINTERS = {
  redocly: {
    words: ['lint', '--format=json', '--config=test/contracts/redocly.yaml'],
    rulesIn: (output: string): string[] =>
      JSON.parse(output).problems.map(({ ruleId }: { ruleId: string }) => ruleId),
  },
  spectral: {
    words: [
      'lint',
      '--format=json',
      '--quiet',
      '--fail-severity=hint',
      '--ruleset=test/contracts/spectral.yaml',
    ],
    rulesIn: (output: string): string[] => JSON.parse(output).map(({ code }: { code: string }) => code),
  },
};

/** The values of a request's fields, by name. A field with the value undefined is omitted. */
type Values = Readonly<Record<string, unknown>>;

let gateway: Gateway;
let tenant: Tenant;
let served: string;
let document: OpenApiDocument;

beforeAll(async () => {
  gateway = await startGateway({ PUBLIC_URL });
  tenant = await seedTenant(gateway, { projects: 12, wallets: 1 });
  served = (await send(`${gateway.url}/openapi.json`, 'GET')).text;
  document = JSON.parse(served);
  return gateway.stop;
});

describe('the linter', () => {
  test.each(['redocly', 'spectral'] as const)('%s accepts the served document', async (linter) => {
    expect(await lint(linter, served)).toEqual({ status: 0, rules: [] });
  });

  test('redocly refuses broken references and operations without ids', async () => {
    const broken = served
      .replaceAll('"operationId"', '"x-id"')
      .replaceAll('schemas/App"', 'schemas/Nothing"');
    const { status, rules } = await lint('redocly', broken);
    expect(new Set(rules)).toEqual(
      new Set(['no-unresolved-refs', 'operation-operationId', 'no-unused-components']),
    );
    expect(status).toBe(1);
  });

  test('spectral refuses texts without a maximum length and credentials in a query', async () => {
    const broken = served.replaceAll('"maxLength"', '"x-length"').replaceAll('"pageSize"', '"accessToken"');
    const { status, rules } = await lint('spectral', broken);
    expect(new Set(rules)).toEqual(
      new Set(['owasp:api2:2023-no-credentials-in-url', 'owasp:api4:2023-string-limit']),
    );
    expect(status).toBe(1);
  });
});

describe('the document', () => {
  test('is served without a token, with the public URL', async () => {
    const { status, headers } = await send(`${gateway.url}/openapi.json`, 'GET');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(document.servers).toEqual([{ url: PUBLIC_URL, description: expect.any(String) }]);
    expect(document.info.version).toBe(VERSION);
  });

  test('is served as YAML, too', async () => {
    const { status, headers, text } = await send(`${gateway.url}/openapi.yaml`, 'GET');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/yaml']);
    expect(parse(text)).toEqual(document);
  });

  test('has each route of the REST API and no others', async () => {
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

  test('has each method of its paths and no others', async () => {
    for (const { method, path } of operationsOf(document)) {
      const url = gateway.url + path.replace('{wallet_name}', String(tenant.wallets[0]));
      const { headers } = await send(url, 'OPTIONS');
      const others = ['OPTIONS', ...(method === 'GET' ? ['HEAD'] : [])];
      expect(headers.get('allow')?.split(', ').toSorted()).toEqual([method, ...others].toSorted());
      expect((await send(url, method)).status).toBe(401);
    }
  });

  test('has the bounds of the specification', () => {
    const bounds = OPERATION_IDS.flatMap((id) =>
      fieldsOf(operationOf(document, id)).map(({ name, schema }) => {
        const { pattern, description, ...others } = schema;
        return [`${id} ${name}`, others];
      }),
    );
    const text = (minLength: number, maxLength: number) => ({ type: 'string', minLength, maxLength });
    const resourceNameValidator = (collection: string) => ({
      type: 'string',
      maxLength: collection.length + 27,
    });
    expect(Object.fromEntries(bounds)).toEqual({
      'createApp title': text(1, 200),
      'createApp active': { type: 'boolean' },
      'signIn privateKey.name': resourceNameValidator('apps'),
      'signIn privateKey.privateKey': text(1, 1000),
      'updateWallet wallet_name': resourceNameValidator('wallets'),
      'updateWallet title': text(1, 200),
      'updateWallet description': { type: 'string', maxLength: 2000 },
      'updateWallet project': resourceNameValidator('projects'),
      'updateWallet network': {
        type: 'string',
        enum: [
          'NETWORK_ETHEREUM',
          'NETWORK_ETHEREUM_RINKEBY',
          'NETWORK_POLYGON',
          'NETWORK_POLYGON_MUMBAI',
          'NETWORK_ETHEREUM_RINKERBY',
        ],
      },
      'updateWallet password': text(32, 32),
      'listProjects pageSize': { type: 'integer', format: 'int32', minimum: 1, maximum: 100, default: 10 },
      'listProjects pageToken': { type: 'string', maxLength: 100 },
    });
  });
});

describe('the gateway', () => {
  test.each(OPERATION_IDS)('accepts exactly the documented values of each field of %s', async (id) => {
    const good = await goodValues(id);
    const fields = fieldsOf(operationOf(document, id));
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
  });

  test.each(OPERATION_IDS)('accepts no undocumented field of %s', async (id) => {
    const good = await goodValues(id);
    for (const { within, schema } of objectsOf(operationOf(document, id))) {
      expect(schema['additionalProperties']).toBe(false);
      const extra = `${within}extra`;
      const refusal = await ask(id, { ...good, [extra]: 'x' });
      expect(violationsIn(refusal)).toEqual([extra]);
      expect(knownFieldsIn(refusal)).toEqual(Object.keys(schema.properties ?? {}).toSorted());
    }
    const refusal = await ask(id, good, { extra: 'x' });
    expect(violationsIn(refusal)).toEqual(['extra']);
    const parameters = fieldsOf(operationOf(document, id)).filter(({ place }) => place === 'query');
    expect(knownFieldsIn(refusal)).toEqual(parameters.map(({ name }) => name).toSorted());
  });

  test('returns a page of the documented default size', async () => {
    const fields = fieldsOf(operationOf(document, 'listProjects'));
    const size = fields.find(({ name }) => name === 'pageSize')?.schema['default'];
    const { text } = await ask('listProjects', {});
    expect(JSON.parse(text).projects).toHaveLength(Number(size));
  });
});

/** Runs a linter on a document, and returns the violated rules. */
async function lint(
  linter: keyof typeof LINTERS,
  text: string,
): Promise<{ status: unknown; rules: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'paw-openapi-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'openapi.json');
  writeFileSync(file, text);
  const { words, rulesIn } = LINTERS[linter];
  const options = { cwd: ROOT, env: { PATH: process.env['PATH'] }, maxBuffer: 2 ** 25 };
  return new Promise((resolve) => {
    execFile(join(ROOT, 'test/node_modules/.bin', linter), [...words, file], options, (error, output) => {
      resolve({ status: error ? error.code : 0, rules: rulesIn(output) });
    });
  });
}

/** Returns a valid value for each field of an operation. */
async function goodValues(id: OperationId): Promise<Values> {
  switch (id) {
    case 'createApp':
      return { title: 'Till', active: true };
    case 'signIn': {
      const { name, privateKey } = JSON.parse((await ask('createApp', await goodValues('createApp'))).text);
      return { 'privateKey.name': name, 'privateKey.privateKey': privateKey };
    }
    case 'updateWallet': {
      const [[wallet_name], [project]] = [tenant.wallets, tenant.projects];
      const texts = { title: 'Treasury', description: 'Cold', password: 'p'.repeat(32) };
      return { wallet_name, project, network: 'NETWORK_POLYGON', ...texts };
    }
    case 'listProjects': {
      const { nextPageToken } = JSON.parse((await ask('listProjects', {})).text);
      return { pageSize: 5, pageToken: nextPageToken };
    }
  }
}

/** Returns test values for a field: around the bounds of all fields, and values that are never valid. */
function probesOf({ place, schema }: RequestField, good: unknown): readonly unknown[] {
  const fields = OPERATION_IDS.flatMap((id) => fieldsOf(operationOf(document, id)));
  const around = (...keywords: string[]) => {
    const bounds = fields.flatMap(({ schema }) => keywords.map((keyword) => schema[keyword]));
    const numbers = bounds.filter((bound) => typeof bound === 'number');
    return [...new Set(numbers.flatMap((bound) => [bound - 1, bound, bound + 1]))];
  };
  const lengths = around('minLength', 'maxLength').filter((length) => length >= 0);
  const texts = ['x', '😀'].flatMap((character) => lengths.map((length) => character.repeat(length)));
  const values = [
    good,
    true,
    false,
    null,
    1.5,
    'x\0',
    '\0'.repeat(32),
    ...around('minimum', 'maximum'),
    ...texts,
  ];
  if (typeof good === 'string') values.push(good.toLowerCase(), `${good}0`, good.slice(1), good.slice(0, -1));
  if (Array.isArray(schema['enum'])) values.push(...schema['enum']);
  // An empty value would give another path. A long value would exceed the limit of the HTTP server.
  const isShort = (value: unknown) => encodeURIComponent(String(value)).length < 10_000;
  if (place === 'path') return values.filter((value) => value !== '' && isShort(value));
  if (place === 'query') return [undefined, ...values.filter(isShort)];
  return [undefined, {}, [], ...values];
}

/** Sends a request with only these values. `search` is added to the query. */
function ask(
  id: OperationId,
  values: Values,
  search: Readonly<Record<string, string>> = {},
): Promise<HttpResponse> {
  const operation = operationOf(document, id);
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
