import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Gateway, seedTenant, startGateway, type Tenant } from '../../support/gateway.ts';
import { codeBlocks } from '../documented.ts';
import { connect, faultsIn, pagesOf } from './client.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const MODULES = join(ROOT, 'test/node_modules');
const GENERATOR = join(MODULES, 'openapi-typescript/bin/cli.js');

let gateway: Gateway;
let tenant: Tenant;

beforeAll(async () => {
  gateway = await startGateway();
  tenant = await seedTenant(gateway, { projects: 25, wallets: 1 });
  return gateway.stop;
});

describe('openapi-fetch', () => {
  test('creates an app, and signs in to get a token for the project of the app only', async () => {
    const account = connect(gateway.url, tenant.token);
    const created = await account.POST('/auth/apps', { body: { title: 'Till', active: true } });
    const { name = '', privateKey = '' } = created.data ?? {};
    expect(created.data).toEqual({ name, title: 'Till', privateKey, active: true });

    const body = { privateKey: { name, privateKey } };
    const signedIn = await account.POST('/auth/accounts:signinIdentity', { body });
    expect(signedIn.data?.app).toEqual({ ...created.data, privateKey: '' });

    const app = connect(gateway.url, signedIn.data?.accessToken ?? '');
    expect(await pagesOf(app)).toEqual([tenant.projects.slice(0, 1)]);
  });

  test('changes only the wallet fields that it sends', async () => {
    const [wallet_name = ''] = tenant.wallets;
    const [project] = tenant.projects;
    const { data } = await connect(gateway.url, tenant.token).PATCH('/wallet/{wallet_name}', {
      params: { path: { wallet_name } },
      body: { title: 'Treasury', network: 'NETWORK_POLYGON' },
    });
    const changed = { name: wallet_name, title: 'Treasury', network: 'NETWORK_POLYGON' };
    expect(data).toMatchObject({ ...changed, description: 'No. 1', project, password: '' });
  });

  test.each([undefined, 10, 7, 25, 100])(
    'pages to the end of 25 projects, %s at a time',
    async (pageSize) => {
      const pages = await pagesOf(connect(gateway.url, tenant.token), pageSize);
      expect(pages.flat()).toEqual(tenant.projects);
      expect(pages).toHaveLength(Math.ceil(25 / (pageSize ?? 10)));
    },
  );

  test('reads the invalid fields of an error with the generated types', async () => {
    const [wallet_name = ''] = tenant.wallets;
    const { error, data, response } = await connect(gateway.url, tenant.token).PATCH(
      '/wallet/{wallet_name}',
      {
        params: { path: { wallet_name } },
        body: { title: '', password: 'short' },
      },
    );
    expect(response.status).toBe(400);
    expect(data).toBeUndefined();
    expect(error && faultsIn(error)).toEqual({
      code: 400,
      reason: 'INVALID_FIELD',
      fields: ['title', 'password'],
    });
  });

  test('reads the error of a bad token', async () => {
    const { error } = await connect(gateway.url, 'nonsense').GET('/project/projects');
    expect(error && faultsIn(error)).toEqual({ code: 401, reason: 'TOKEN_INVALID', fields: [] });
  });

  test('does not compile with a wrong field name or type, which the gateway refuses', async () => {
    const client = connect(gateway.url, tenant.token);
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
});

describe('the section in docs/clients.md', () => {
  test('has a program that compiles with the generated types and runs unchanged', async () => {
    const [program = ''] = codeBlocks('REST', 'ts');
    const folder = mkdtempSync(join(tmpdir(), 'paw-rest-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    await run(folder, GENERATOR, `${gateway.url}/openapi.json`, '-o', 'paw.d.ts');
    symlinkSync(MODULES, join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'projects.ts'), program);
    const compilerOptions = { typeRoots: [join(ROOT, 'node_modules/@types')] };
    const options = { extends: join(ROOT, 'tsconfig.json'), compilerOptions, include: ['projects.ts'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options));

    const compiled = await run(folder, join(ROOT, 'node_modules/typescript/bin/tsc'));
    expect(compiled).toEqual({ status: 0, output: '' });
    const ran = await run(folder, 'projects.ts');
    expect(ran).toEqual({ status: 0, output: '25 projects\ntitle: Must be 1 to 200 characters long.\n' });

    writeFileSync(join(folder, 'projects.ts'), program.replace('data.projects', 'data.project'));
    const { status, output } = await run(folder, join(ROOT, 'node_modules/typescript/bin/tsc'));
    expect(output).toContain("Property 'project' does not exist");
    expect(status).not.toBe(0);
  });
});

/** Runs a Node program until it ends. */
function run(cwd: string, ...words: readonly string[]): Promise<{ status: unknown; output: string }> {
  const env = { PATH: process.env['PATH'], PAW: gateway.url, TOKEN: tenant.token };
  return new Promise((resolve) => {
    execFile(process.execPath, words, { cwd, env }, (error, stdout, stderr) => {
      resolve({ status: error ? error.code : 0, output: stdout + stderr });
    });
  });
}
