import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { type Gateway, seedTenant, startGateway } from '../gateway.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What the program of each client prints. */
const PRINTED: Readonly<Record<string, readonly string[]>> = {
  fetch: ['25 projects', 'BAD_USER_INPUT: first'],
  'Apollo Client': ['25 projects in the cache', 'BAD_USER_INPUT'],
  urql: ['25 projects in the cache', 'Treasury', 'BAD_USER_INPUT'],
  'graphql-request': ['projects: 25', 'projects: 1', '401 UNAUTHENTICATED'],
  'graphql-http': ['10 more projects', '10 more projects', '5 more projects', '401 UNAUTHENTICATED'],
};

/** What has its programs in TypeScript, and tests of its own. */
const ELSEWHERE = ['Relay', 'REST'];

const readme = readFileSync(`${ROOT}/README.md`, 'utf8');
const [, clients = ''] = /^## Clients\n(.*?)^## /ms.exec(readme) ?? [];
const programs = clients.split(/^### /m).flatMap((section) => {
  const title = section.slice(0, section.indexOf('\n'));
  return [...section.matchAll(/^```js\n(.*?)^```$/gms)].map(([, program = '']) => ({ title, program }));
});

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
  return gateway.stop;
});

test('the README has one program for each client', () => {
  const titles = [...clients.matchAll(/^### (.*)$/gm)].map(([, title]) => title);
  expect(titles.filter((title) => !ELSEWHERE.includes(title ?? ''))).toEqual(Object.keys(PRINTED));
  expect(programs.map(({ title }) => title)).toEqual(Object.keys(PRINTED));
});

test.each(programs)('its program for $title runs as it stands there', async ({ title, program }) => {
  const { token, wallets } = await seedTenant(gateway, { projects: 25, wallets: 1 });
  // Some clients warn only under the condition of development.
  const running = promisify(execFile)(process.execPath, ['-C', 'development', '--input-type=module'], {
    // Where it finds the packages.
    cwd: `${ROOT}/test`,
    env: { PAW: gateway.url, TOKEN: token, WALLET: wallets[0] },
  });
  running.child.stdin?.end(program);
  const { stdout, stderr } = await running;
  expect(stderr).toBe('');
  expect(stdout.split('\n')).toEqual([...(PRINTED[title] ?? []), '']);
});
