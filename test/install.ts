import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

// Installs the packages of this folder, unless those of its lock file are installed; with an argument, those of a folder in it.

const [, , PART = ''] = process.argv;
const TESTS = import.meta.dirname;
const FOLDER = join(TESTS, PART);
const NAME = join('test', PART, '/');
const INPUTS = ['package.json', 'package-lock.json', '.npmrc'].filter((name) =>
  existsSync(join(FOLDER, name)),
);
const STAMP = join(FOLDER, 'node_modules', '.installed');
const CACHE = join(TESTS, '..', 'node_modules', '.cache');

if (!isInstalled()) {
  // One process at a time. SQLite's lock ends with the process that holds it, even if it is killed.
  mkdirSync(CACHE, { recursive: true });
  const lock = new DatabaseSync(join(CACHE, 'test-install.db'), { timeout: 600_000 });
  lock.exec('BEGIN EXCLUSIVE');
  if (!isInstalled()) install();
  lock.close();
}

// The programs of the documentation import the package by its name.
link(join(TESTS, 'node_modules', 'paw-gateway'), join('..', '..'));
// The programs in tools/ use the same packages.
link(join(TESTS, '..', 'tools', 'node_modules'), join('..', 'test', 'node_modules'));

function link(path: string, target: string): void {
  if (!existsSync(path)) symlinkSync(target, path, 'junction');
}

function isInstalled(): boolean {
  return existsSync(STAMP) && readFileSync(STAMP, 'utf8') === inputHash();
}

/** The hash of all that decides what is installed. */
function inputHash(): string {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`);
  for (const name of INPUTS) hash.update(readFileSync(join(FOLDER, name)));
  return hash.digest('hex');
}

function install(): void {
  const size = PART === '' ? '150 MB to download, 630 MB' : '140 MB';
  console.error(`Installing packages: \`npm ci\` in ${NAME}, one to three minutes, ${size} on disk.`);
  const options = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  try {
    execFileSync('npm', ['ci', ...options], { cwd: FOLDER, stdio: 'pipe' });
  } catch (error) {
    const [, npmCode, systemCode] = /^npm error code (\S+)|spawnSync npm (\S+)/m.exec(String(error)) ?? [];
    console.error(
      `The packages of the tests are not installed: \`npm ci\` in ${NAME} failed (${npmCode ?? systemCode}).`,
    );
    process.exitCode = 1;
    return;
  }
  writeFileSync(STAMP, inputHash());
}
