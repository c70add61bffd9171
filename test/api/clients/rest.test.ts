import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { testFolder, useGateway, useTenant } from '../../support/gateway.ts';
import { startProgram } from '../../support/run-command.ts';
import { codeBlocks } from './documented.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const MODULES = join(ROOT, 'test/node_modules');
const GENERATOR = join(MODULES, 'openapi-typescript/bin/cli.js');

const gateway = useGateway();
const tenant = useTenant(gateway, { projects: 25, wallets: 1 });

test('the program in docs/clients.md compiles with the types that it generates, and runs unchanged', async () => {
  const [program = ''] = codeBlocks('REST', 'ts');
  const folder = testFolder();
  await run(folder, GENERATOR, `${gateway.url}/openapi.json`, '-o', 'paw.d.ts');
  symlinkSync(MODULES, join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'projects.ts'), program);
  const compilerOptions = {
    typeRoots: [join(ROOT, 'node_modules/@types')],
    customConditions: ['development'],
  };
  const options = { extends: join(ROOT, 'tsconfig.json'), compilerOptions, include: ['projects.ts'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options));

  const compiled = await run(folder, join(ROOT, 'node_modules/typescript/bin/tsc'));
  expect(compiled).toEqual({ status: 0, stdout: '', stderr: '' });
  const ran = await run(folder, '-C', 'development', 'projects.ts');
  const stdout = '25 projects\ntitle: Must be 1 to 200 characters long.\n';
  expect(ran).toEqual({ status: 0, stdout, stderr: '' });
});

/** Runs a Node program until it ends. */
function run(folder: string, ...words: readonly string[]) {
  const settings = { PATH: String(process.env['PATH']), PAW: gateway.url, TOKEN: tenant.token };
  return startProgram(process.execPath, words, settings, folder).ended;
}
