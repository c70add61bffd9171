#!/usr/bin/env node
// First: older versions of Node end here. They can parse this file.
import './node-version.js';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

// Node stores the compiled code of all modules imported below. This makes the next start faster.
const cacheFolder = privateFolder();
if (cacheFolder !== undefined) module.enableCompileCache(cacheFolder);

const { runCommandLine } = await import('./commands/cli/command-line.ts');
await runCommandLine(process.argv.slice(2));

/**
 * Returns a cache folder that only its owner can write to, or undefined if that is not possible. Node's default
 * folder is shared by all users of the host: another user could store code there, which this process would run.
 */
function privateFolder() {
  try {
    const parent = join(homedir(), '.cache');
    const path = join(parent, 'paw-gateway');
    // The recursive mkdir of Node would never end if the home folder is a missing one in /proc.
    for (const each of [parent, path]) if (!existsSync(each)) mkdirSync(each, { mode: 0o700 });
    const { uid, mode } = statSync(path);
    const isPrivate = process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
    return isPrivate ? path : undefined;
  } catch {
    return undefined;
  }
}
