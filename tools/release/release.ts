/**
 * Makes a release: `npm run release -- 0.1.0` sets the version, dates the changes in the changelog, writes how to obtain the
 * release into the documentation, tests that, and makes a commit and a tag. It pushes nothing. If anything fails, the
 * repository is as it was.
 */
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isNewer, PAGES, type Release, releaseChangelog, releasePage, VERSION } from './edits.ts';

process.chdir(join(import.meta.dirname, '../..'));
// Ctrl+C ends the tests alone, so that the edits are undone.
process.on('SIGINT', () => {});
const [, , version = ''] = process.argv;
try {
  checkRepository();
  make(prepare());
  console.log(`
Version ${version} is a commit and the tag v${version}. Look at them with \`git show v${version}\`, and push both:

  git push --atomic origin main v${version}`);
} catch (error) {
  console.error(`\n${error instanceof Error ? error.message : error}\nNothing was released.`);
  process.exitCode = 1;
}

/** @throws Error if this version can't be released from what is checked out */
function checkRepository(): void {
  if (!VERSION.test(version)) throw new Error('Name a version such as 0.1.0: `npm run release -- 0.1.0`.');
  const newest = git('tag', '--list', 'v*', '--sort=-version:refname')
    .split('\n')
    .map((tag) => tag.slice(1))
    .find((each) => VERSION.test(each));
  if (newest !== undefined && !isNewer(version, newest)) {
    throw new Error(`${version} is not newer than ${newest}, the newest tag. Name a newer version.`);
  }
  if (git('branch', '--show-current') !== 'main') throw new Error('A release is made on the branch main.');
  if (git('status', '--porcelain') !== '') throw new Error('Commit or remove the changes in `git status`.');
}

function prepare(): Release {
  const origin = git('remote', 'get-url', 'origin');
  const [, repository] = /github\.com[:/]([\w.-]+\/[\w.-]+?)(?:\.git)?$/.exec(origin) ?? [];
  if (repository === undefined) {
    // A URL can have a password.
    const shown = origin.replace(/\/\/.*@/, '//');
    throw new Error(
      `The remote "origin" must be a repository on GitHub, such as github.com/acme/paw, not ${shown}.`,
    );
  }
  const { version: previous } = JSON.parse(readFileSync('package.json', 'utf8'));
  return { version, previous, date: new Date().toISOString().slice(0, 10), repository };
}

function make(release: Release): void {
  const head = git('rev-parse', 'HEAD');
  const edit = (file: string, change: (text: string, release: Release) => string) =>
    writeFileSync(file, change(readFileSync(file, 'utf8'), release));
  try {
    edit('CHANGELOG.md', releaseChangelog);
    execFileSync('npm', ['version', '--no-git-tag-version', '--allow-same-version', '--silent', version]);
    for (const file of globSync(PAGES)) edit(file, releasePage);
    const projects = ['--project=unit', '--project=api-contracts'];
    execFileSync('vitest', ['run', ...projects, 'test/unit', 'contracts/docs.test'], { stdio: 'inherit' });
    git('commit', '--quiet', '--all', '--message', `Release ${version}`);
    git('tag', '--annotate', '--message', `Release ${version}`, `v${version}`);
  } catch (error) {
    git('reset', '--quiet', '--hard', head);
    throw error;
  }
}

function git(...words: readonly string[]): string {
  return execFileSync('git', words, { encoding: 'utf8' }).trim();
}
