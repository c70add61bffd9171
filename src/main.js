#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

// JavaScript, unlike all else: what comes after this line is kept compiled from the first
// time on, so that Node need not load what strips types for this one file.
enableCompileCache();

const { runCommandLine } = await import('./commands/command-line.ts');
await runCommandLine(process.argv.slice(2));
