import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Environment } from 'relay-runtime';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { send } from '../../support/apis.ts';
import { type Gateway, seedTenant, startGateway, type Tenant } from '../../support/gateway.ts';
import { expectSilence } from '../clients.ts';
import { codeBlocks } from '../documented.ts';
import { COMPILER, compile, run } from './compile.ts';
import { createEnvironment } from './environment.ts';
import { tagHooks } from './tag-hooks.ts';

const { loadNext, openProjectList, readProject, readProjects, refetchProject } = await import(
  './project-list.ts'
);
const { openWallet, readWallet, updateWallet, watchWallet } = await import('./wallet.ts');
tagHooks.deregister();

const TAG_HOOKS = new URL('tag-hooks.ts', import.meta.url).href;
const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));

let gateway: Gateway;
let tenant: Tenant;
let environment: Environment;

beforeAll(async () => {
  gateway = await startGateway();
  return gateway.stop;
});

beforeEach(async () => {
  tenant = await seedTenant(gateway, { projects: 25, wallets: 1 });
  environment = createEnvironment(gateway.url, tenant.token);
});

expectSilence();

/** The error that Relay throws for an error of the gateway. */
function failure(code: string, ...fields: readonly string[]) {
  const fieldViolations = fields.map((field) => ({ field, description: expect.any(String) }));
  const extensions = expect.objectContaining({ code, ...(fields.length > 0 && { fieldViolations }) });
  return { source: { errors: [expect.objectContaining({ extensions })] } };
}

/** Creates a temporary folder for an app, with a link to the packages. */
function appFolder(): string {
  // Node identifies a module by its real path, and the temporary folder may be a symbolic link.
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'paw-relay-')));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync(MODULES, join(folder, 'node_modules'), 'junction');
  return folder;
}

/** The result of the compiler without warnings and errors. */
const CONTENT = {
  status: 0,
  stdout: expect.stringMatching(/^(.*\[INFO\].*\n)+$/),
  stderr: '',
};

test('the compiler compiles every operation of an app to the committed artifacts, without a warning', async () => {
  expect(await compile(import.meta.dirname, '--validate')).toEqual(CONTENT);
});

describe('the runtime', () => {
  test('pages through a connection to its end, and merges the pages into one list', async () => {
    const key = await openProjectList(environment, 10);
    const seen = [];
    for (let page = 1; page <= 3; page += 1) {
      if (page > 1) await loadNext(environment, key, 10);
      const { total, hasNext, keys } = readProjects(environment, key);
      seen.push({ total, hasNext, ids: keys.map((project) => readProject(environment, project).id) });
    }
    expect(seen).toEqual([
      { total: 25, hasNext: true, ids: tenant.projects.slice(0, 10) },
      { total: 25, hasNext: true, ids: tenant.projects.slice(0, 20) },
      { total: 25, hasNext: false, ids: tenant.projects },
    ]);
  });

  test('refetches one project by node, and the list shows its current fields', async () => {
    const key = await openProjectList(environment, 10);
    const titles = () =>
      readProjects(environment, key).keys.map((project) => readProject(environment, project).title);
    const [, second] = readProjects(environment, key).keys;
    if (!second) throw new Error('The list is too short.');
    const before = titles();
    const { id } = readProject(environment, second);
    await gateway.database.write('UPDATE project SET title = $1 WHERE id = $2', ['Renamed', id.slice(9)]);
    await refetchProject(environment, second);
    expect(titles()).toEqual(before.with(1, 'Renamed'));
  });

  test('shows the result of a mutation of a wallet, and notifies its subscribers', async () => {
    const [name = ''] = tenant.wallets;
    const project = tenant.projects[24] ?? '';
    const key = await openWallet(environment, name);
    const before = readWallet(environment, key);
    const heard: unknown[] = [];
    const watch = watchWallet(environment, key, (wallet) => heard.push(wallet));
    await updateWallet(environment, { name, title: 'Treasury', network: 'NETWORK_POLYGON', project });
    watch.dispose();
    const after = readWallet(environment, key);
    expect(before).toMatchObject({ title: 'Wallet 1', network: 'NETWORK_ETHEREUM' });
    expect(after).toEqual({
      ...before,
      title: 'Treasury',
      network: 'NETWORK_POLYGON',
      project: expect.objectContaining({ name: project, title: 'Project 25' }),
    });
    expect(heard).toEqual([after]);
  });
});

test.each([
  {
    error: 'every invalid field of an update of a wallet',
    attempt: () => updateWallet(environment, { name: tenant.wallets[0] ?? '', title: '', password: 'short' }),
    expected: failure('BAD_USER_INPUT', 'title', 'password'),
  },
  {
    error: 'a page that is too large',
    attempt: () => openProjectList(environment, 101),
    expected: failure('BAD_USER_INPUT', 'first'),
  },
  {
    error: 'an invalid token, with which nothing is executed',
    attempt: () => openProjectList(createEnvironment(gateway.url, 'nonsense'), 10),
    expected: failure('UNAUTHENTICATED'),
  },
])('the app reads the error of $error', async ({ attempt, expected }) => {
  await expect(attempt()).rejects.toMatchObject(expected);
});

test('the program in docs/clients.md compiles and runs unchanged', async () => {
  const [[config], [program]] = [codeBlocks('Relay', 'json'), codeBlocks('Relay', 'ts')];
  const folder = appFolder();
  const write = (file: string, text = '') => writeFileSync(join(folder, file), text);
  write('schema.graphql', (await send(`${gateway.url}/schema.graphql`, 'GET')).text);
  write('relay.config.json', config);
  write('projects.ts', program);
  expect(await run(folder, [COMPILER])).toEqual(CONTENT);
  const settings = { PAW: gateway.url, TOKEN: tenant.token };
  const result = await run(folder, ['--import', TAG_HOOKS, 'projects.ts'], settings);
  const titles = ['Tenant', ...tenant.projects.slice(1).map((_, n) => `Project ${n + 2}`)];
  expect(result).toEqual({ status: 0, stdout: `${titles.join('\n')}\n`, stderr: '' });
});
