import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  buildClientSchema,
  buildSchema,
  getIntrospectionQuery,
  lexicographicSortSchema,
  printSchema,
} from 'graphql';
import { beforeAll, expect, test } from 'vitest';
import { type HttpResponse, postGraphql, send } from '../../support/both-apis.ts';
import { testFolder, useGateway } from '../../support/gateway.ts';
import { startProgram } from '../../support/run-command.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PUBLISHED = 'schema/published/paw.graphql';
const published = readFileSync(join(ROOT, PUBLISHED), 'utf8');

const gateway = useGateway();
let served: HttpResponse;

beforeAll(async () => {
  served = await send(`${gateway.url}/schema.graphql`, 'GET');
});

test('the served schema is the published file, and needs no token', () => {
  expect(served.status).toBe(200);
  expect(served.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(served.headers.get('cache-control')).toBe('public, max-age=300');
  expect(served.text, 'To be published by `npm run publish-schema`').toBe(published);
});

test('the served schema has the methods GET, HEAD and OPTIONS', async () => {
  const { status, headers } = await send(`${gateway.url}/schema.graphql`, 'OPTIONS');
  expect([status, headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
  expect((await send(`${gateway.url}/schema.graphql`, 'POST', undefined, {})).status).toBe(405);
});

test('the served schema equals the introspected one, including descriptions and deprecations', async () => {
  const introspection = getIntrospectionQuery({
    descriptions: true,
    specifiedByUrl: true,
    inputValueDeprecation: true,
    schemaDescription: true,
  });
  const { text } = await postGraphql(gateway.url, undefined, introspection);
  const [introspected, fromFile] = [buildClientSchema(JSON.parse(text).data), buildSchema(published)].map(
    (schema) => printSchema(lexicographicSortSchema(schema)),
  );
  expect(introspected).toBe(fromFile);
  expect(published).toContain('scalar Address @specifiedBy(url: "https://eips.ethereum.org/EIPS/eip-55")');
  expect(published).toContain('NETWORK_ETHEREUM_RINKERBY @deprecated(reason: ');
});

test('a change of the schema that breaks clients is refused, and an addition can be published', async () => {
  const folder = copyOfProject();
  const file = join(folder, 'schema/project.graphql');
  const contract = readFileSync(file, 'utf8');

  writeFileSync(file, contract.replace(/.*IPFS.*\n.*imageCoverCid.*\n/, ''));
  const refusal = { status: 1, output: 'Breaking change: Project.imageCoverCid was removed.\n' };
  expect(await run(folder, 'tools/contract/check.ts')).toEqual(refusal);

  writeFileSync(file, `${contract}\nextend type Query { "The version of the gateway." version: String }\n`);
  expect(await run(folder, 'tools/contract/check.ts')).toEqual({ status: 0, output: '' });
  expect(await run(folder, 'tools/contract/publish.ts')).toEqual({ status: 0, output: '' });
  expect(readFileSync(join(folder, PUBLISHED), 'utf8')).toContain('  version: String\n');
});

/** Copies the files that the programs in `tools/contract/` use into a new folder. */
function copyOfProject(): string {
  const folder = testFolder();
  for (const name of ['package.json', 'schema', 'src', 'tools/contract']) {
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Runs a Node program until it ends. */
async function run(folder: string, program: string) {
  const { status, stdout, stderr } = await startProgram(process.execPath, [program], {}, folder).ended;
  return { status, output: stdout + stderr };
}
