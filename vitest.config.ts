import { existsSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

// Some tests need a program that is not an npm package. Without it they are excluded locally, and
// fail in CI.
const installed = (program: string) => process.env['CI'] !== undefined || existsSync(program);

// The folders `sqlite` and `postgres` have the tests of one engine. All other tests run on both.
const sqlite = {
  name: 'sqlite',
  exclude: [
    'test/postgres/**',
    ...(installed('/usr/bin/chromium') ? [] : ['test/browser/**']),
    ...(installed('/usr/sbin/haproxy') && installed('/usr/sbin/nginx')
      ? []
      : ['test/deploy/proxies.test.ts']),
    ...(installed('/usr/bin/systemd-analyze') ? [] : ['test/deploy/service-unit.test.ts']),
  ],
  provide: { engine: 'sqlite', postgresUrl: '' },
  globalSetup: ['test/support/build-assets.ts'],
} as const;

const postgres = {
  name: 'postgres',
  // These folders have no tests that depend on the engine.
  exclude: [
    'test/sqlite/**',
    'test/model/**',
    'test/graphql/**',
    'test/clients/**',
    'test/contracts/**',
    'test/browser/**',
    'test/deploy/**',
    ...(installed('/usr/sbin/pgbouncer') ? [] : ['test/postgres/pooler.test.ts']),
  ],
  provide: { engine: 'postgres' },
  globalSetup: ['test/support/build-assets.ts', 'test/postgres/shared-server.ts'],
} as const;

export default defineConfig({
  test: {
    // Much longer than any test takes, so that no test fails on a busy machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'threads',
    // More workers than cores are useful, because many tests wait for a child process.
    maxWorkers: 4,
    // Modules are loaded by Node, as in production, and not by Vite.
    experimental: { viteModuleRunner: false },
    projects: [sqlite, postgres].map((project) => ({
      extends: true,
      test: {
        include: ['test/**/*.test.ts'],
        // Each file starts its own gateways, and modules have no state that files could share.
        isolate: false,
        ...project,
      },
    })),
  },
});
