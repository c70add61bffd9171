// @module-tag night/conformance

import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { seedTenant, testFolder, useGateway } from '../support/gateway.ts';
import { MODULES, runNode } from './run-program.ts';

const PROGRAMS = fileURLToPath(new URL('programs', import.meta.url));
const ROOT_MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));
const TSC = join(ROOT_MODULES, 'typescript/bin/tsc');
const ESBUILD = join(ROOT_MODULES, 'esbuild/bin/esbuild');

const COMPILER_OPTIONS = {
  module: 'preserve',
  target: 'esnext',
  lib: ['esnext', 'dom'],
  types: ['node'],
  typeRoots: [join(ROOT_MODULES, '@types')],
  strict: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
};

const gateway = useGateway();

/** The command that generates each client, and the kind of the error that it reads. */
const CLIENTS = [
  {
    name: 'genql',
    generate: (token: string) => [
      ...[
        'node_modules/@genql/cli/dist/cli.js',
        '--endpoint',
        `${gateway.url}/graphql`,
        '--output',
        'generated',
      ],
      ...['--header', `Authorization: Bearer ${token}`],
      ...['Address', 'DateTime', 'ResourceName', 'URL'].flatMap((scalar) => ['--scalar', `${scalar}:string`]),
    ],
    error: 'BAD_USER_INPUT',
  },
  {
    name: 'orval',
    generate: () => ['node_modules/orval/dist/bin/orval.mjs', '--config', 'orval.config.js'],
    error: 'INVALID_ARGUMENT',
  },
  {
    name: 'kubb',
    generate: () => ['generate-kubb.js'],
    error: 'INVALID_ARGUMENT',
  },
];

test.each(CLIENTS)(
  'a client that $name generates compiles, and calls the four operations',
  async (client) => {
    const { name, generate, error } = client;
    const { token, wallet } = await seedTenant(gateway, { wallets: 1 });
    const folder = testFolder();
    cpSync(PROGRAMS, folder, { recursive: true });
    symlinkSync(MODULES, join(folder, 'node_modules'), 'junction');
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const project = { compilerOptions: COMPILER_OPTIONS, files: [`${name}.ts`] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project));

    const settings = { PAW: gateway.url, TOKEN: token, WALLET: wallet };
    await runNode(folder, generate(token), settings);
    await runNode(folder, [TSC]);
    const bundled = ['--bundle', '--packages=external', '--format=esm', '--outfile=program.js'];
    await runNode(folder, [ESBUILD, `${name}.ts`, ...bundled]);
    expect(await runNode(folder, ['program.js'], settings)).toBe(`Tenant\nTreasury\n${error}\n`);
  },
);
