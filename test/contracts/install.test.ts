import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const STARTED =
  'Installing the packages of the tests: `npm ci` in test/, one to three minutes, 170 MB to download, 730 MB on disk.\n';

test('the packages of the tests are installed once, and again after a change', async () => {
  const root = mkdtempSync(join(tmpdir(), 'paw-install-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const folder = join(root, 'test');
  const write = (file: string, content: object) => writeFileSync(join(root, file), JSON.stringify(content));
  for (const name of [folder, join(root, 'example')]) mkdirSync(name);
  for (const name of ['install.ts', '.npmrc']) cpSync(join(ROOT, 'test', name), join(folder, name));
  write('example/package.json', { name: 'example', version: '1.0.0' });
  const manifest = { version: '1.0.0', type: 'module', dependencies: { example: 'file:../example' } };
  write('test/package.json', manifest);
  const packages = {
    '': manifest,
    '../example': { version: '1.0.0' },
    'node_modules/example': { resolved: '../example', link: true },
  };
  write('test/package-lock.json', { lockfileVersion: 3, requires: true, packages });
  const concurrent = await Promise.all([install(folder), install(folder), install(folder)]);
  expect(concurrent.map(({ status }) => status)).toEqual([0, 0, 0]);
  expect(concurrent.map(({ output }) => output).toSorted()).toEqual(['', '', STARTED]);
  expect(await install(folder)).toEqual({ status: 0, output: '' });

  write('test/package.json', { ...manifest, dependencies: { other: 'file:../example' } });
  const error = 'The packages of the tests are not installed: `npm ci` in test/ failed (EUSAGE).\n';
  expect(await install(folder)).toEqual({ status: 1, output: STARTED + error });
});

function install(folder: string): Promise<{ readonly status: unknown; readonly output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [join(folder, 'install.ts')], (error, stdout, stderr) => {
      resolve({ status: error ? error.code : 0, output: stdout + stderr });
    });
  });
}

// The packages of the tests also contain some of the gateway's, which hide its copies.
test('the tests import the packages that the gateway runs on', () => {
  const [own, gateways] = ['test/', ''].map((folder) => {
    const { packages } = JSON.parse(readFileSync(join(ROOT, folder, 'package-lock.json'), 'utf8'));
    return (name: string): unknown => packages[`node_modules/${name}`]?.version;
  });
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const names = [...Object.keys(dependencies), 'yaml'];
  expect(names).toContain('graphql');
  expect(names.filter((name) => own?.(name) !== undefined && own(name) !== gateways?.(name))).toEqual([]);
});
