import { execFileSync } from 'node:child_process';

/** Builds the browser assets of the explorers, if they are out of date. */
export function setup(): void {
  execFileSync(process.execPath, ['console/build.ts'], { stdio: 'inherit' });
}
