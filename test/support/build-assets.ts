import { execFileSync } from 'node:child_process';

/** Builds what the explorers load in a browser, if it is out of date. */
export function setup(): void {
  execFileSync(process.execPath, ['build.ts', 'assets'], { stdio: 'inherit' });
}
