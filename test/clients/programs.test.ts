import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { seedTenant, useGateway } from '../support/gateway.ts';
import { clientSections, codeBlocks } from './documented.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The lines that the program of each client prints. */
const PRINTED: Readonly<Record<string, readonly string[]>> = {
  fetch: ['25 projects', 'BAD_USER_INPUT: first'],
  'Apollo Client': ['25 projects in the cache', 'BAD_USER_INPUT'],
  urql: ['25 projects in the cache', 'Treasury', 'BAD_USER_INPUT'],
  'graphql-request': ['projects: 25', 'projects: 1', '401 UNAUTHENTICATED'],
  'graphql-http': ['10 more projects', '10 more projects', '5 more projects', '401 UNAUTHENTICATED'],
};

/** The programs in TypeScript. Other tests run them. */
const IN_TYPESCRIPT = ['REST', 'Relay'];

const programs = [...clientSections.keys()].flatMap((title) =>
  codeBlocks(title, 'js').map((program) => ({ title, program })),
);

const gateway = useGateway();

test('docs/clients.md has one program for each client', () => {
  expect([...clientSections.keys()]).toEqual([...Object.keys(PRINTED), ...IN_TYPESCRIPT]);
  expect(programs.map(({ title }) => title)).toEqual(Object.keys(PRINTED));
});

test.each(programs)(
  'the program for $title in docs/clients.md runs unchanged',
  async ({ title, program }) => {
    const { token, wallets } = await seedTenant(gateway, { projects: 25, wallets: 1 });
    // Some clients print warnings only with the `development` condition.
    const running = promisify(execFile)(process.execPath, ['-C', 'development', '--input-type=module'], {
      cwd: `${ROOT}/test`,
      env: { PAW: gateway.url, TOKEN: token, WALLET: wallets[0] },
    });
    running.child.stdin?.end(program);
    const { stdout, stderr } = await running;
    expect(stderr).toBe('');
    expect(stdout.split('\n')).toEqual([...(PRINTED[title] ?? []), '']);
  },
);
