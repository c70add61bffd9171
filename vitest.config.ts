import { existsSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

// The programs that npm does not bring. Where everything has to be checked they are
// installed, and a test that lacks one fails.
const installed = (program: string) => process.env['CI'] !== undefined || existsSync(program);

// What is about one engine alone is in a folder of its name; all else runs on both.
const sqlite = {
  name: 'sqlite',
  exclude: ['test/postgres/**', ...(installed('/usr/bin/chromium') ? [] : ['test/browser/**'])],
  provide: { engine: 'sqlite', postgresUrl: '' },
} as const;

const postgres = {
  name: 'postgres',
  // What is about the APIs alone is the same on any engine.
  exclude: [
    'test/sqlite/**',
    'test/model/**',
    'test/graphql/**',
    'test/clients/**',
    'test/contracts/**',
    'test/browser/**',
    ...(installed('/usr/sbin/pgbouncer') ? [] : ['test/postgres/pooler.test.ts']),
  ],
  provide: { engine: 'postgres' },
  globalSetup: 'test/postgres/shared-server.ts',
} as const;

export default defineConfig({
  test: {
    // Far beyond what any takes, so that a busy machine fails none.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'threads',
    // Many tests wait for a process that they have started.
    maxWorkers: 4,
    // Run as Node runs the program itself: without a bundler in between.
    experimental: { viteModuleRunner: false },
    projects: [sqlite, postgres].map((project) => ({
      extends: true,
      test: {
        include: ['test/**/*.test.ts'],
        // Each file starts gateways of its own, and no module keeps anything between two of them.
        isolate: false,
        ...project,
        exclude: [...project.exclude, 'test/node_modules/**'],
      },
    })),
  },
});
