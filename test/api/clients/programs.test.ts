// @module-tag needs/python3-authlib
// @module-tag needs/python3-requests

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { restApi } from '../../support/both-apis.ts';
import { seedTenant, useGateway } from '../../support/gateway.ts';
import { createApp } from '../../support/requests.ts';
import { startProgram } from '../../support/run-command.ts';
import { clientSections, codeBlocks } from './documented.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** The lines that the program of each client prints. */
const PRINTED: Readonly<Record<string, readonly string[]>> = {
  fetch: ['25 projects', 'BAD_USER_INPUT: first'],
  'Apollo Client': ['25 projects in the cache', 'BAD_USER_INPUT'],
  urql: ['25 projects in the cache', 'Treasury', 'BAD_USER_INPUT'],
  'graphql-request': ['projects: 25', 'projects: 1', '401 UNAUTHENTICATED'],
  'graphql-http': ['10 more projects', '10 more projects', '5 more projects', '401 UNAUTHENTICATED'],
  'openid-client': ['projects: 1 for 3600 s', '401 invalid_client'],
  'simple-oauth2': ['projects: 1', '401 invalid_client'],
  Authlib: ['projects: 1', 'invalid_client'],
};

/** The programs in TypeScript. Other tests run them. */
const IN_TYPESCRIPT = ['REST', 'Relay'];

/** What runs the program that follows. Some clients print warnings only with the `development` condition. */
const COMMANDS = {
  js: [process.execPath, '-C', 'development', '--input-type=module', '--eval'],
  python: ['/usr/bin/python3', '-c'],
} as const;

/** The sections without a program. */
const WITHOUT_PROGRAM = ['Terraform'];

const programs = Object.keys(PRINTED).flatMap((title) =>
  (['js', 'python'] as const).flatMap((language) =>
    codeBlocks(title, language).map((program) => ({ title, program, command: COMMANDS[language] })),
  ),
);

const gateway = useGateway();
const api = restApi(() => gateway.url);

test('docs/clients.md has one program for each client', () => {
  expect([...clientSections.keys()]).toEqual([...Object.keys(PRINTED), ...IN_TYPESCRIPT, ...WITHOUT_PROGRAM]);
  expect(programs.map(({ title }) => title)).toEqual(Object.keys(PRINTED));
});

test.each(programs)(
  'the program for $title in docs/clients.md runs unchanged',
  async ({ title, program, command: [file, ...options] }) => {
    const { token, wallets } = await seedTenant(gateway, { projects: 25, wallets: 1 });
    const { name, privateKey } = await createApp(api, token);
    const settings = {
      PAW_URL: gateway.url,
      PAW_TOKEN: token,
      WALLET: wallets[0] ?? '',
      PAW_CLIENT_ID: name,
      PAW_CLIENT_SECRET: privateKey,
    };
    const lines = [...(PRINTED[title] ?? []), ''];
    expect(await startProgram(file, [...options, program], settings, `${ROOT}/test`).ended).toEqual({
      status: 0,
      stdout: lines.join('\n'),
      stderr: '',
    });
  },
);

test('the lines for a shell in docs/authentication.md and docs/api.md run unchanged, each without an error', async () => {
  const { token, wallets } = await seedTenant(gateway, { wallets: 1 });
  const { name, privateKey } = await createApp(api, token);
  const settings = {
    PATH: String(process.env['PATH']),
    PAW_URL: gateway.url,
    AUTH: `Authorization: Bearer ${token}`,
    JSON: 'Content-Type: application/json',
    WALLET: wallets[0] ?? '',
    PAW_CLIENT_ID: name,
    PAW_CLIENT_SECRET: privateKey,
  };
  const pages = ['authentication', 'api'].map((page) => readFileSync(`${ROOT}/docs/${page}.md`, 'utf8'));
  const lines = [...pages.join('\n').matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block);
  const script = `set -euo pipefail\n${lines.join('')}`;
  const { status, stdout, stderr } = await startProgram('bash', ['--norc', '-c', script], settings).ended;
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const responses = stdout
    .trimEnd()
    .split('\n')
    .map((line) => Object.keys(JSON.parse(line))[0]);
  expect(responses).toEqual(['access_token', 'active', 'projects', 'name', 'name']);
});
