#!/usr/bin/env node
import { mkdirSync, statSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

// Everything that is loaded after this is kept compiled from the first time on. This file is
// JavaScript, so that Node need not load its type stripper for it.
const folder = privateFolder();
if (folder !== undefined) enableCompileCache(folder);

const { runCommandLine } = await import('./commands/command-line.ts');
await runCommandLine(process.argv.slice(2));

/**
 * Returns a folder that only its owner can write, or undefined if there can be none. Node's default
 * is a folder that all users share, in which any of them could put code for us to run.
 */
function privateFolder() {
  try {
    const path = join(homedir(), '.cache', 'paw-gateway');
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const { uid, mode } = statSync(path);
    const isPrivate = process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
    return isPrivate ? path : undefined;
  } catch {
    return undefined;
  }
}
