// @module-tag night/conformance

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { codeBlocks } from '../api/clients/documented.ts';
import { seedTenant, testFolder, useGateway } from '../support/gateway.ts';
import { startProgram } from '../support/run-command.ts';

const MODULES = fileURLToPath(new URL('node_modules', import.meta.url));
const PORTMAN = join(MODULES, '@apideck/portman/bin/portman');
const NEWMAN = join(MODULES, 'newman/bin/newman.js');

const documented = JSON.parse(codeBlocks('REST', 'json')[0] ?? '');

const ON = { enabled: true };
const REFUSED = {
  statusCode: { ...ON, code: 400 },
  contentType: ON,
  schemaValidation: ON,
  headersPresent: ON,
};

/** Tests of each bound in the document. A field of which a bound is exceeded has to be in the request. */
const WITH_INVALID_INPUT = {
  ...documented,
  tests: {
    variationTests: [
      {
        openApiOperation: '*::/*',
        openApiResponse: '400',
        variations: [
          {
            name: 'Invalid',
            fuzzing: [
              {
                requestBody: [{ requiredFields: ON, minLengthFields: ON, maxLengthFields: ON }],
                requestQueryParams: [{ minimumNumberFields: ON, maximumNumberFields: ON }],
              },
            ],
            tests: { contractTests: [REFUSED] },
          },
        ],
      },
    ],
  },
  overwrites: [
    ...documented.overwrites,
    {
      openApiOperation: 'PATCH::/wallet/{wallet_name}',
      overwriteRequestBody: [
        { key: 'description', value: 'Cold storage' },
        { key: 'project', value: 'projects/01ARZ3NDEKTSV4RRFFQ69G5FAV' },
        { key: 'password', value: 'correct horse battery staple 123' },
      ],
    },
  ],
};

/** The parts of newman's report that are read. */
type Report = {
  readonly run: {
    readonly failures: readonly { readonly error: { readonly test: string; readonly message: string } }[];
  };
};

const gateway = useGateway();

test.each([
  ['by the configuration in docs/clients.md', documented],
  ['of invalid input', WITH_INVALID_INPUT],
])('newman passes the tests that Portman makes %s', async (_, configuration) => {
  const { token, wallet } = await seedTenant(gateway, { wallets: 1 });
  const folder = testFolder();
  writeFileSync(join(folder, 'portman.json'), JSON.stringify(configuration));
  const files = ['--portmanConfigFile', 'portman.json', '--output', 'collection.json'];
  await runNode(folder, [PORTMAN, '--url', `${gateway.url}/openapi.json`, ...files]);

  const variables = ['--env-var', `token=${token}`, '--env-var', `wallet=${wallet}`];
  const output = ['--reporters', 'json', '--reporter-json-export', 'report.json', '--suppress-exit-code'];
  await runNode(folder, [NEWMAN, 'run', 'collection.json', ...variables, ...output]);
  const { run }: Report = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'));
  expect(run.failures.map(({ error }) => `${error.test}: ${error.message}`)).toEqual([]);
});

/** Runs a program of Node in a folder until it ends. It has to succeed, and reports its use to nobody. */
async function runNode(folder: string, words: readonly string[]): Promise<void> {
  const settings = { PATH: String(process.env['PATH']), DO_NOT_TRACK: '1' };
  const running = startProgram(process.execPath, words, settings, folder);
  onTestFinished(async () => void (await running.stop('SIGKILL')));
  const { status, stdout, stderr } = await running.ended;
  expect(status, `${words[0]}: ${stdout}${stderr}`).toBe(0);
}
