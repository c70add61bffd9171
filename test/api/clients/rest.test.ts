import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import createClient from 'openapi-fetch';
import { expect, test } from 'vitest';
import type { components, paths } from '../../../src/rest/generated/openapi-types.ts';
import { testFolder, useGateway, useTenant } from '../../support/gateway.ts';
import { startProgram } from '../../support/run-command.ts';
import { codeBlocks } from './documented.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const MODULES = join(ROOT, 'test/node_modules');
const GENERATOR = join(MODULES, 'openapi-typescript/bin/cli.js');

const gateway = useGateway();
const tenant = useTenant(gateway, { projects: 25, wallets: 1 });

function connect(token: string) {
  return createClient<paths>({ baseUrl: gateway.url, headers: { authorization: `Bearer ${token}` } });
}

/** The parts of an error that a program reads. */
function faultsIn({ error }: components['schemas']['ErrorResponse']) {
  const [reason] = error.details.flatMap((detail) => ('reason' in detail ? [detail.reason] : []));
  const violations = error.details.flatMap((detail) =>
    detail['@type'] === 'type.googleapis.com/google.rpc.BadRequest' ? detail.fieldViolations : [],
  );
  return { code: error.code, reason, fields: violations.map(({ field }) => field) };
}

test('openapi-fetch creates an app, signs it in, and lists projects and updates a wallet with its token', async () => {
  const account = connect(tenant.token);
  const created = await account.POST('/auth/apps', { body: { title: 'Till', active: true } });
  const { name = '', privateKey = '' } = created.data ?? {};
  expect(created.data).toEqual({ name, title: 'Till', privateKey, active: true });

  const body = { privateKey: { name, privateKey } };
  const signedIn = await account.POST('/auth/accounts:signinIdentity', { body });
  expect(signedIn.data?.app).toEqual({ ...created.data, privateKey: '' });

  const client = connect(signedIn.data?.accessToken ?? '');
  const { data } = await client.GET('/project/projects');
  expect(data?.projects.map((project) => project.name)).toEqual([tenant.projects[0]]);
  const [wallet_name = ''] = tenant.wallets;
  const path = { params: { path: { wallet_name } } };
  const updated = await client.PATCH('/wallet/{wallet_name}', { ...path, body: { title: 'Treasury' } });
  expect(updated.data).toMatchObject({ name: wallet_name, title: 'Treasury', description: 'No. 1' });
});

test('openapi-fetch does not compile with a wrong field name or type, which the gateway refuses', async () => {
  const client = connect(tenant.token);
  // @ts-expect-error: the field is `title`
  const app = await client.POST('/auth/apps', { body: { titel: 'Till', active: true } });
  expect(app.error && faultsIn(app.error).fields).toEqual(['titel']);
  // @ts-expect-error: the parameter is `pageSize`
  const sized = await client.GET('/project/projects', { params: { query: { size: 5 } } });
  expect(sized.error && faultsIn(sized.error).fields).toEqual(['size']);
  // @ts-expect-error: the value is a number
  const page = await client.GET('/project/projects', { params: { query: { pageSize: 'five' } } });
  expect(page.error && faultsIn(page.error).fields).toEqual(['pageSize']);
});

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
