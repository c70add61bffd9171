#!/usr/bin/env node
// JavaScript that old versions of Node can read, so that they can be refused by a readable line.
import { mkdirSync, statSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

const MIN_MAJOR = 24;
const MIN_MINOR = 7;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < MIN_MAJOR || (major === MIN_MAJOR && minor < MIN_MINOR)) {
  console.error(
    `paw: Node ${MIN_MAJOR}.${MIN_MINOR} or newer is required; this is Node ${process.versions.node}.`,
  );
  process.exit(1);
}

// Everything that is loaded after this is compiled once and kept on disk.
const folder = privateFolder();
if (folder !== undefined) module.enableCompileCache(folder);

const { runCommandLine } = await import('./commands/command-line.ts');
await runCommandLine(process.argv.slice(2));

/**
 * Returns a folder that only its owner can write, or undefined if there is none. Node's default is a folder
 * that all users share, in which any of them could put code for this process to run.
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
