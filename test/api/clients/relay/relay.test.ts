import { readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { send } from '../../../support/both-apis.ts';
import { seedTenant, testFolder, useGateway } from '../../../support/gateway.ts';
import { type Settings, startProgram } from '../../../support/run-command.ts';
import { codeBlocks } from '../documented.ts';

const COMPILER = fileURLToPath(import.meta.resolve('relay-compiler/cli.js'));
const TAG_HOOKS = new URL('tag-hooks.ts', import.meta.url).href;
const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));

const gateway = useGateway();

const [documented = ''] = codeBlocks('Relay', 'ts');
const app = readFileSync(new URL('app.ts', import.meta.url), 'utf8');
const titles = ['Tenant', ...Array.from({ length: 24 }, (_, n) => `Project ${n + 2}`)];

test.each([
  ['projects.ts', 'the program in docs/clients.md compiles and runs unchanged', documented, titles],
  [
    'app.ts',
    'an app pages to the end, refetches a project by its id, and updates a wallet',
    app,
    [
      '25 projects in the store',
      'Project 25',
      'Treasury null',
      expect.stringMatching(/^Treasury .+"code":"BAD_USER_INPUT".+"field":"title"/),
    ],
  ],
])('%s: %s', async (file, _what, program, lines) => {
  // Node identifies a module by its real path, and the temporary folder may be a symbolic link.
  const folder = realpathSync(testFolder());
  symlinkSync(MODULES, join(folder, 'node_modules'), 'junction');
  const [config = ''] = codeBlocks('Relay', 'json');
  writeFileSync(join(folder, 'relay.config.json'), config);
  writeFileSync(join(folder, 'schema.graphql'), (await send(`${gateway.url}/schema.graphql`, 'GET')).text);
  writeFileSync(join(folder, file), program);
  const compiled = await run(folder, [COMPILER, '--noWatchman']);
  // Without a warning.
  expect(compiled).toEqual({ status: 0, stdout: expect.stringMatching(/^(.*\[INFO\].*\n)+$/), stderr: '' });

  const { token, wallet } = await seedTenant(gateway, { projects: 25, wallets: 1 });
  const env = { PAW_URL: gateway.url, PAW_TOKEN: token, WALLET: wallet };
  const { stdout, ...ended } = await run(folder, ['-C', 'development', '--import', TAG_HOOKS, file], env);
  expect(ended).toEqual({ status: 0, stderr: '' });
  expect(stdout.split('\n')).toEqual([...lines, '']);
});

/** Runs a Node program in a folder until it ends. */
function run(folder: string, words: readonly string[], settings: Settings = {}) {
  return startProgram(process.execPath, words, settings, folder).ended;
}
