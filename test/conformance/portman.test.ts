// @module-tag night/conformance

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { conforms } from '../support/conformance.ts';
import { seedTenant, testFolder, useGateway } from '../support/gateway.ts';
import { MODULES, runNode } from './run-program.ts';

const CONFIG = fileURLToPath(new URL('programs/portman.json', import.meta.url));

/** The parts of newman's report that are read. */
type Report = {
  readonly run: {
    readonly stats: Readonly<Record<'requests' | 'assertions', { total: number; failed: number }>>;
    readonly failures: readonly { readonly error: { readonly test: string; readonly message: string } }[];
  };
};

const gateway = useGateway();

test('newman passes the tests that Portman makes from the OpenAPI document, also those of invalid input', async () => {
  const { token, project, wallet } = await seedTenant(gateway, { wallets: 1 });
  const folder = testFolder();
  const collection = ['--url', `${gateway.url}/openapi.json`, '--output', 'collection.json'];
  const portman = join(MODULES, '@apideck/portman/bin/portman');
  await runNode(folder, [portman, ...collection, '--portmanConfigFile', CONFIG]);

  const variables = Object.entries({ token, project, wallet }).flatMap(([name, value]) => [
    '--env-var',
    `${name}=${value}`,
  ]);
  const report = ['--reporters', 'json', '--reporter-json-export', 'report.json', '--suppress-exit-code'];
  await runNode(folder, [
    join(MODULES, 'newman/bin/newman.js'),
    'run',
    'collection.json',
    ...variables,
    ...report,
  ]);
  const { run }: Report = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'));
  expect(run.failures.map(({ error }) => `${error.test}: ${error.message}`)).toEqual([]);
  expect(run.stats.requests).toMatchObject({ failed: 0 });
  conforms('Portman', run.stats.assertions.total);
  conforms('newman', run.stats.requests.total);
});
