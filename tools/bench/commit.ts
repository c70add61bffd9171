import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Another commit of the gateway, in a folder with its packages. */
export type Commit = { readonly name: string; readonly root: string; remove(): void };

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const INSTALL_OPTIONS = ['--omit=dev', '--ignore-scripts', '--silent', '--prefer-offline'];

const LOCK_FILE = 'package-lock.json';

/**
 * Checks a commit out into a worktree, with the packages of its program.
 *
 * @param name the name of the commit; by default the newest release, or else the commit before those that are not on the
 *   main branch, or before the last one
 * @param root a folder that does not exist
 */
export function checkOut(name: string | undefined, root: string): Commit {
  const commit = git('rev-parse', '--short', name ?? newestRelease() ?? previousCommit());
  git('worktree', 'add', '--quiet', '--detach', root, commit);
  const [ours, theirs] = [ROOT, root].map((folder) => readFileSync(join(folder, LOCK_FILE), 'utf8'));
  if (ours === theirs) symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  else execFileSync('npm', ['ci', ...INSTALL_OPTIONS], { cwd: root });
  return {
    name: commit,
    root,
    remove() {
      if (existsSync(root)) rmSync(root, { recursive: true });
      git('worktree', 'prune');
    },
  };
}

/** Returns the newest release before this commit. */
function newestRelease(): string | undefined {
  const [newest] = git('tag', '--list', 'v*', '--sort=-version:refname', '--merged', 'HEAD~1').split('\n');
  return newest || undefined;
}

function previousCommit(): string {
  if (git('status', '--porcelain', '--untracked-files=no') !== '') return 'HEAD';
  const mains = ['refs/remotes/origin/main', 'refs/heads/main'];
  const [main] = git('for-each-ref', '--sort=-refname', '--format=%(refname)', ...mains).split('\n');
  const base = main ? git('merge-base', 'HEAD', main) : 'HEAD';
  return base === git('rev-parse', 'HEAD') ? 'HEAD~1' : base;
}

function git(...words: readonly string[]): string {
  return execFileSync('git', words, { cwd: ROOT, encoding: 'utf8' }).trim();
}
