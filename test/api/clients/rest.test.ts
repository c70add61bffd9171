import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder, useGateway, useTenant } from '../../support/gateway.ts';
import { startProgram } from '../../support/run-command.ts';
import { codeBlocks, compile, MODULES } from './documented.ts';

const GENERATOR = join(MODULES, 'openapi-typescript/bin/cli.js');

const gateway = useGateway();
const tenant = useTenant(gateway, { projects: 25, wallets: 1 });

test('the program in docs/clients.md compiles with the types that it generates, and runs unchanged', async () => {
  const [program = ''] = codeBlocks('REST', 'ts');
  const folder = testFolder();
  await run(folder, GENERATOR, `${gateway.url}/openapi.json`, '-o', 'paw.d.ts');
  await compile(folder, { 'projects.ts': program });
  const ran = await run(folder, '-C', 'development', 'projects.ts');
  const stdout = '25 projects\ntitle: Must be 1 to 200 characters long.\n';
  expect(ran).toEqual({ status: 0, stdout, stderr: '' });
});

/** Runs a Node program until it ends. */
function run(folder: string, ...words: readonly string[]) {
  const settings = { PATH: String(process.env['PATH']), PAW_URL: gateway.url, PAW_TOKEN: tenant.token };
  return startProgram(process.execPath, words, settings, folder).ended;
}
