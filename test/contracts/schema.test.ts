import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadSchema } from '@graphql-tools/load';
import { UrlLoader } from '@graphql-tools/url-loader';
import {
  buildClientSchema,
  buildSchema,
  getIntrospectionQuery,
  lexicographicSortSchema,
  printSchema,
} from 'graphql';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { postGraphql, send } from '../support/apis.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PUBLISHED = 'schema/published/paw.graphql';
const published = readFileSync(join(ROOT, PUBLISHED), 'utf8');

type Ended = { readonly status: unknown; readonly output: string };

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
  return gateway.stop;
});

describe('the served schema', () => {
  test('is served without a token, and is the published file', async () => {
    const { status, headers, text } = await send(`${gateway.url}/schema.graphql`, 'GET');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    expect(text, 'To be published by `npm run publish-schema`').toBe(published);
  });

  test('equals the introspected schema, including descriptions and deprecations', async () => {
    const introspection = getIntrospectionQuery({
      descriptions: true,
      specifiedByUrl: true,
      inputValueDeprecation: true,
      schemaDescription: true,
    });
    const { text } = await postGraphql(gateway.url, undefined, introspection);
    const introspected = buildClientSchema(JSON.parse(text).data);
    const sorted = [introspected, buildSchema(published)].map((schema) =>
      printSchema(lexicographicSortSchema(schema)),
    );
    expect(sorted[0]).toBe(sorted[1]);
    expect(published).toContain('scalar Address @specifiedBy(url: "https://eips.ethereum.org/EIPS/eip-55")');
    expect(published).toContain('NETWORK_ETHEREUM_RINKERBY @deprecated(reason: ');
  });

  test('can be loaded by a tool from its URL', async () => {
    // By default the tool sends a POST request to an endpoint.
    const loaded = await loadSchema(`${gateway.url}/schema.graphql`, {
      loaders: [new UrlLoader()],
      method: 'GET',
    });
    expect(printSchema(lexicographicSortSchema(loaded))).toBe(
      printSchema(lexicographicSortSchema(buildSchema(published))),
    );
  });

  test('has the methods GET, HEAD and OPTIONS', async () => {
    const url = `${gateway.url}/schema.graphql`;
    const head = await send(url, 'HEAD');
    expect(head).toMatchObject({ status: 200, text: '' });
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(published)));
    const options = await send(url, 'OPTIONS');
    expect(options.status).toBe(204);
    expect(options.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    expect((await send(url, 'POST', undefined, {})).status).toBe(405);
  });
});

describe('publishing the schema', () => {
  test('is refused if it breaks clients, except with publish-schema:breaking', async () => {
    const copy = copyOfProject();
    const schema = join(copy, 'schema/project.graphql');
    writeFileSync(schema, readFileSync(schema, 'utf8').replace(/.*IPFS.*\n.*imageCoverCid.*\n/, ''));

    const refused = await runScript(copy, 'publish-schema');
    expect(refused).toEqual({ status: 1, output: 'Breaking change: Project.imageCoverCid was removed.\n' });
    expect(publishedIn(copy)).toBe(published);

    expect(await runScript(copy, 'publish-schema:breaking')).toMatchObject({ status: 0 });
    expect(publishedIn(copy)).not.toContain('imageCoverCid');
    expect(buildSchema(publishedIn(copy)).getType('Project')).toBeDefined();
  });

  test('accepts an addition to the schema', async () => {
    const copy = copyOfProject();
    writeFileSync(
      join(copy, 'schema/version.graphql'),
      'extend type Query { "The version of the gateway." version: String }',
    );
    expect(await runScript(copy, 'publish-schema')).toEqual({ status: 0, output: '' });
    expect(publishedIn(copy)).toContain('  version: String\n');
  });
});

test('a schema that breaks the conventions fails the check of each of them', async () => {
  const copy = copyOfProject();
  writeFileSync(
    join(copy, 'schema/bad.graphql'),
    `type bad_thing { "No words for the type." Name: String @deprecated }
     "A connection of no edges." type LooseConnection { "Strings." edges: [String] }
     extend type Query { "Lists." looseThings(limit: Int): LooseConnection }
     extend type Mutation { "Counts." count(by: Int): Int }`,
  );
  const { status, output } = await runScript(copy, 'check-schema');
  expect(status).toBe(1);
  const rules = [...output.matchAll(/@graphql-eslint\/([\w-]+)$/gm)].map(([, rule]) => rule);
  expect([...new Set(rules)].toSorted()).toEqual([
    'input-name',
    'naming-convention',
    'no-scalar-result-type-on-mutation',
    'no-unreachable-types',
    'relay-arguments',
    'relay-connection-types',
    'relay-edge-types',
    'require-deprecation-reason',
    'require-description',
    'strict-id-in-types',
  ]);
});

/** Copies the files that the scripts use into a new folder. */
function copyOfProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'paw-schema-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['package.json', 'schema', 'src']) {
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  }
  for (const name of ['node_modules', 'test']) symlinkSync(join(ROOT, name), join(folder, name));
  return folder;
}

function publishedIn(folder: string): string {
  return readFileSync(join(folder, PUBLISHED), 'utf8');
}

/** Runs a script of `package.json`, as `npm run` does. */
function runScript(folder: string, script: string): Promise<Ended> {
  return run(folder, process.execPath, ['--run', script]);
}

/** Runs a program until it ends. Its only environment variable is `PATH`. */
function run(cwd: string, program: string, words: readonly string[]): Promise<Ended> {
  const env = { PATH: process.env['PATH'] };
  return new Promise((resolve) => {
    execFile(program, words, { cwd, env }, (error, stdout, stderr) => {
      resolve({ status: error ? error.code : 0, output: stdout + stderr });
    });
  });
}
