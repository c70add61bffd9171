import { existsSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

// What is about one engine alone is in a folder of its name; all else runs on both.
const sqlite = {
  name: 'sqlite',
  exclude: ['test/postgres/**'],
  provide: { engine: 'sqlite', postgresUrl: '' },
} as const;

// The one program that npm does not bring. Where everything has to be checked it is
// installed, and a test that lacks it fails.
const withPooler = process.env['CI'] !== undefined || existsSync('/usr/sbin/pgbouncer');

const postgres = {
  name: 'postgres',
  exclude: ['test/sqlite/**', 'test/model/**', ...(withPooler ? [] : ['test/postgres/pooler.test.ts'])],
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
      },
    })),
  },
});
