#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

// All that is loaded after this is kept compiled from the first time on. This file is
// JavaScript, so that Node need not load what strips types for it alone.
enableCompileCache();

const { runCommandLine } = await import('./commands/command-line.ts');
await runCommandLine(process.argv.slice(2));
