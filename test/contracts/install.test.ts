import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const STARTED = 'Installing the packages of the tests: `npm ci` in test/.\n';

type Lock = { readonly packages: Readonly<Record<string, { readonly version?: string }>> };

describe('the packages of the tests', () => {
  let folder: string;

  beforeEach(() => {
    const root = mkdtempSync(join(tmpdir(), 'paw-install-'));
    onTestFinished(() => rmSync(root, { recursive: true }));
    folder = join(root, 'test');
    mkdirSync(folder);
    mkdirSync(join(root, 'example'));
    writeFileSync(join(root, 'example/package.json'), '{"name":"example","version":"1.0.0"}');
    for (const name of ['install.ts', '.npmrc']) cpSync(join(ROOT, 'test', name), join(folder, name));
    declarePackage('1.0.0');
  });

  test('are installed once, even if several processes install them', async () => {
    const ended = await Promise.all([install(), install(), install()]);
    expect(ended.map(({ status }) => status)).toEqual([0, 0, 0]);
    expect(ended.map(({ output }) => output).toSorted()).toEqual(['', '', STARTED]);
    expect(await install()).toEqual({ status: 0, output: '' });
  });

  test('are installed again after a change of the lock file', async () => {
    expect(await install()).toEqual({ status: 0, output: STARTED });
    declarePackage('2.0.0');
    expect(await install()).toEqual({ status: 0, output: STARTED });
    expect(await install()).toEqual({ status: 0, output: '' });
  });

  test('that are not in the lock file cause an error of one line', async () => {
    const manifest = { type: 'module', dependencies: { other: 'file:../example' } };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    const error = 'The packages of the tests are not installed: `npm ci` in test/ failed (EUSAGE).\n';
    expect(await install()).toEqual({ status: 1, output: STARTED + error });
    expect(await install()).toEqual({ status: 1, output: STARTED + error });
  });

  function declarePackage(version: string): void {
    const manifest = { name: 'tests', version, type: 'module', dependencies: { example: 'file:../example' } };
    const packages = {
      '': manifest,
      '../example': { version: '1.0.0' },
      'node_modules/example': { resolved: '../example', link: true },
    };
    const lock = { name: 'tests', version, lockfileVersion: 3, requires: true, packages };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
  }

  function install(): Promise<{ readonly status: unknown; readonly output: string }> {
    return new Promise((resolve) => {
      execFile(process.execPath, [join(folder, 'install.ts')], (error, stdout, stderr) => {
        resolve({ status: error ? error.code : 0, output: stdout + stderr });
      });
    });
  }
});

// The packages of the tests also contain some of these, which hide the copies of the gateway.
test.each(['fastify', 'graphql', 'keyv', 'pg', 'pino', 'ulid', 'yaml'])(
  'the tests import the %s that the gateway runs on',
  (name) => {
    const [own, gateways] = ['test/package-lock.json', 'package-lock.json'].map((file) => {
      const { packages }: Lock = JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
      return packages[`node_modules/${name}`]?.version;
    });
    expect(gateways).toBeDefined();
    expect(own ?? gateways).toBe(gateways);
  },
);
