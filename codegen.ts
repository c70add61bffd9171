import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { codegen } from '@graphql-codegen/core';
import * as typedDocuments from '@graphql-codegen/typed-document-node';
import * as typescript from '@graphql-codegen/typescript';
import * as operations from '@graphql-codegen/typescript-operations';
import * as resolvers from '@graphql-codegen/typescript-resolvers';
import { getNamedType, isInputObjectType, lexicographicSortSchema, parse, printSchema } from 'graphql';
import * as yaml from 'yaml';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from './src/model/lists/list-page.ts';
import { readContract } from './tools/contract/read-contract.ts';

// Generates the types of both contracts, the JSON of the REST contract, the documents of the console, the list of mutations for language models, and the page sizes that both contracts name. With `--check` it only compares them with the files, and fails on a difference.

const FILE = 'src/graphql/generated/schema-types.ts';
const CONSOLE = 'console/app';
const CONSOLE_FILE = `${CONSOLE}/generated/documents.ts`;
const REST_FILE = 'src/rest/generated/openapi-types.ts';
const REST_JSON = 'src/rest/generated/openapi.json';
const GUIDE = 'docs/llms.txt';
const REST_CONTRACT = 'schema/openapi.yaml';

process.chdir(import.meta.dirname);

const isCheck = process.argv.includes('--check');
for (const file of globSync(['schema/*.graphql', REST_CONTRACT])) {
  const text = readFileSync(file, 'utf8')
    .replace(
      /(?<=from 1 to )\d+\. The default is \d+/g,
      `${MAX_PAGE_SIZE}. The default is ${DEFAULT_PAGE_SIZE}`,
    )
    .replace(
      /(?<=minimum: 1, )maximum: \d+, default: \d+/,
      `maximum: ${MAX_PAGE_SIZE}, default: ${DEFAULT_PAGE_SIZE}`,
    );
  write(file, text);
}

const contract = readContract();
const schema = lexicographicSortSchema(contract);
const types = await codegen({
  filename: FILE,
  schema: parse(printSchema(schema)),
  schemaAst: schema,
  documents: [],
  plugins: [{ typescript: {} }, { resolvers: {} }],
  pluginMap: { typescript, resolvers },
  config: {
    // The resolvers of Query and Mutation are required, and so are the fields of the objects that they return.
    avoidOptionals: { field: true, query: true, mutation: true },
    contextType: '../context.ts#GraphqlContext',
    enumsAsTypes: true,
    // `unknown` instead of `any` for scalars without a mapping.
    defaultScalarType: 'unknown',
    immutableTypes: true,
    // Resolvers receive the types of the model. Only fields that differ from the model need a resolver.
    mappers: {
      App: '../../model/app.ts#App as AppModel',
      AppConnection: '../connection.ts#Connection<AppModel>',
      AppEdge: '../connection.ts#Edge<AppModel>',
      AppKey: '../../model/app.ts#AppKey as AppKeyModel',
      Event: '../../model/audit-event.ts#AuditEvent as AuditEventModel',
      EventConnection: '../connection.ts#Connection<AuditEventModel>',
      EventEdge: '../connection.ts#Edge<AuditEventModel>',
      Project: '../../model/project.ts#Project as ProjectModel',
      PageInfo: '../connection.ts#PageInfo as PageInfoModel',
      ProjectConnection: '../connection.ts#Connection<ProjectModel>',
      ProjectEdge: '../connection.ts#Edge<ProjectModel>',
      Token: '../../model/token.ts#Token as TokenModel',
      TokenConnection: '../connection.ts#Connection<TokenModel>',
      TokenEdge: '../connection.ts#Edge<TokenModel>',
      Viewer: '../../model/token.ts#Token as TokenModel',
      Wallet: '../../model/wallet.ts#Wallet as WalletModel',
      WalletConnection: '../connection.ts#Connection<WalletModel>',
      WalletEdge: '../connection.ts#Edge<WalletModel>',
    },
    resolversNonOptionalTypename: false,
    scalars: {
      Address: 'string',
      DateTime: { input: 'Date', output: 'string' },
      ID: 'string',
      ResourceName: 'string',
      URL: 'string',
    },
    strictScalars: true,
    useIndexSignature: false,
    useTypeImports: true,
  },
});

// The documents of the console are strings, so that a browser loads no GraphQL library.
const documents = await codegen({
  filename: CONSOLE_FILE,
  schema: parse(printSchema(schema)),
  schemaAst: schema,
  documents: globSync(`${CONSOLE}/**/*.graphql`)
    .toSorted()
    .map((location) => ({ location, document: parse(readFileSync(location, 'utf8')) })),
  plugins: [{ operations: {} }, { typedDocuments: {} }],
  pluginMap: { operations, typedDocuments },
  config: {
    defaultScalarType: 'string',
    documentMode: 'string',
    enumsAsTypes: true,
    immutableTypes: true,
    skipTypename: true,
    useTypeImports: true,
  },
});

const json = JSON.stringify(yaml.parse(readFileSync(REST_CONTRACT, 'utf8')));
for (const [file, text] of [
  [FILE, types],
  [CONSOLE_FILE, asStrings(documents)],
  [REST_JSON, `${json}\n`],
  [GUIDE, guideWith(mutationCalls())],
] as const) {
  write(file, text);
}

const { status } = spawnSync(
  'test/node_modules/.bin/openapi-typescript',
  [REST_CONTRACT, `--output=${REST_FILE}`, ...(isCheck ? ['--check'] : [])],
  { stdio: ['ignore', 'ignore', 'inherit'] },
);
if (status !== 0) {
  if (isCheck) console.error(outOfDate(REST_FILE));
  process.exitCode = 1;
}

/** Returns the documents without the class that the plugin wraps each in: it would be a part of the bundle. */
function asStrings(documents: string): string {
  return documents
    .replace(/export (class TypedDocumentString<.*>)[\s\S]*?\n}\n/, (_, head) => {
      const type = head.replace('class', 'type');
      return `export ${type} = string & DocumentTypeDecoration<TResult, TVariables>;\n`;
    })
    .replace(/new TypedDocumentString\((`[^`]*`)[^)]*\)/g, '$1');
}

/** Writes a file, or with `--check` compares it. */
function write(file: string, text: string): void {
  if (!isCheck) {
    writeFileSync(file, text);
  } else if (text !== readFileSync(file, 'utf8')) {
    console.error(outOfDate(file));
    process.exitCode = 1;
  }
}

/** Returns each mutation with the fields of its input. */
function mutationCalls(): readonly string[] {
  return Object.values(contract.getMutationType()?.getFields() ?? {}).map(({ name, args }) => {
    const input = getNamedType(args[0]?.type);
    const fields = isInputObjectType(input) ? Object.keys(input.getFields()) : [];
    const own = fields.filter((field) => field !== 'clientMutationId');
    return own.length > 0 ? `\`${name}(${own.join(', ')})\`` : `\`${name}\``;
  });
}

/** Returns the guide with these calls, in lines of at most 120 characters, in place of the paragraph that has them. */
function guideWith(calls: readonly string[]): string {
  const lines: string[] = [];
  for (const call of calls) {
    const line = [lines.at(-1), call].filter(Boolean).join(' ');
    if (line.length <= 120) lines.pop();
    lines.push(line.length <= 120 ? line : call);
  }
  const paragraph = /(?<=^Mutations, with the fields of their `input`:\n\n)(?:.+\n)+/m;
  return readFileSync(GUIDE, 'utf8').replace(paragraph, () => `${lines.join('\n')}\n`);
}

function outOfDate(file: string): string {
  return `${file} is out of date. Run \`npm run codegen\`.`;
}
