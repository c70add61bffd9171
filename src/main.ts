#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

// Before all else is loaded, which is compiled the first time only.
enableCompileCache();

const { runCommandLine } = await import('./commands/command-line.ts');
await runCommandLine(process.argv.slice(2));
